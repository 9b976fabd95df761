import type { ContactInput, LOOKUP_OUTPUTS } from '@quarry/service-catalog';
import type { z } from 'zod';
import type { PhonesFound } from '@quarry/extraction';
import type { Cost } from '@quarry/engine';
import type { VendorSearch, VendorSearchName } from './vendor-search.js';

/** Output of getEmail without `found` and `provider`, which the engine adds. */
interface EmailFound {
  email: string;
  status: 'verified' | 'catch_all' | 'unverified';
  confidence: 'low' | 'medium' | 'high';
}
interface Post {
  post_url: string;
  post_author: string | null;
  /** ISO 8601. */
  at: string;
}

type Fast<Name extends keyof typeof LOOKUP_OUTPUTS> = Omit<
  z.infer<(typeof LOOKUP_OUTPUTS)[Name]>,
  'provider'
>;

/**
 * Input and output of each service that a vendor may support. Source: the catalogue, which validates both again at runtime.
 */
export interface VendorServices {
  getEmail: { input: ContactInput; output: EmailFound };
  getPhoneNumber: { input: ContactInput; output: PhonesFound };
  getLinkedInUserComments: {
    input: { linkedin_url: string; limit?: number };
    output: { comments: Array<Post & { text: string }> };
  };
  getLinkedInUserReactions: {
    input: { linkedin_url: string; limit?: number };
    output: { reactions: Array<Post & { reaction: string }> };
  };
  webSearch: { input: { query: string; limit?: number }; output: Fast<'webSearch'> };
  newsSearch: { input: { query: string; limit?: number }; output: Fast<'newsSearch'> };
  verifyEmail: { input: { email: string }; output: Fast<'verifyEmail'> };
  findEmailPattern: { input: { domain: string }; output: Fast<'findEmailPattern'> };
  enrichPerson: {
    input: { linkedin_url?: string; first_name?: string; last_name?: string; domain?: string };
    output: Record<string, unknown>;
  };
  enrichCompany: {
    input: { domain?: string; linkedin_url?: string; name?: string };
    output: Record<string, unknown>;
  };
}
export type VendorServiceName = keyof VendorServices;

/** One call to a vendor, without the parts common to all its calls: address, key, accepted types. */
export interface VendorRequest {
  method: 'GET' | 'POST';
  /** Path relative to the base address, with a leading slash; the definition encodes parts that come from an input. */
  path: string;
  /** Query parameters; undefined ones are omitted. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  body?: unknown;
}

/**
 * Meaning of a refusal:
 * - `miss`: the search completed and found nothing;
 * - `rejected`: the vendor can never look up this input;
 * - `auth`, `credits`: a problem with the operator's account; calls are paused until the operator has had time to correct
 *   it;
 * - `rate`: too many calls; they continue after the pause that the response requests;
 * - `transient`: the same call may succeed if retried at once;
 * - `failed`: a failure of the vendor that would occur again.
 */
export type Meaning = 'miss' | 'rejected' | 'auth' | 'credits' | 'rate' | 'transient' | 'failed';

/** State of a vendor's job. A failed one is not started again: it may have been charged. */
export type JobState = 'pending' | 'done' | Exclude<Meaning, 'rate' | 'transient'>;

/** Settings of a vendor by name, from PROVIDERS_FILE. */
export type VendorSettings = Readonly<Record<string, string>>;

/** Polling for vendors that run a job and provide its result later. */
export interface VendorPoll {
  /** Response to the call that starts the job. */
  started: z.ZodType;
  /** @returns the id of the vendor's job */
  id(started: unknown): string;
  read(id: string): VendorRequest;
  /** Response to a poll, while the job is running and at its end. */
  reading: z.ZodType;
  state(reading: unknown): JobState;
  /** Returns the request for the result of a completed job; if omitted, the last poll contains the result. */
  result?(reading: unknown): VendorRequest;
  /** Milliseconds between two polls of a job. */
  everyMs: number;
  /** Maximum number of polls per minute for all jobs; if omitted, unlimited. */
  perMinute?: number;
}

export interface VendorLimits {
  /** Maximum number of calls started per second and per minute, in one process. */
  perSecond?: number;
  perMinute?: number;
}

export interface VendorService {
  /** Required inputs, and the price of a result, as text for docs/providers.md. */
  needs: string;
  price: string;
  /** For getEmail: statuses that a result may have, if not all. If none of them is accepted, the vendor is not called. */
  statuses?: readonly string[];
  /** Limits of this service; if omitted, those of the vendor. */
  limits?: VendorLimits;
  /** @returns null when the input lacks what the vendor needs: the vendor is skipped */
  request(input: never, settings: VendorSettings): VendorRequest | null;
  /** Schema of the response. Fields that are not in the schema may have any value. */
  answer: z.ZodType;
  /** Returns the state that a 200 response reports besides its data; if omitted, it is always a result. */
  state?(answer: never): 'done' | Meaning;
  /** @returns null when nothing was found */
  map(answer: never, input: never): Record<string, unknown> | null;
  /** Returns the price that the vendor charged; omitted when it reports none. */
  cost?(answer: never): Cost | null;
  poll?: VendorPoll;
}

/** Setting used in a vendor's requests, such as the name of an actor. */
export interface VendorSetting {
  default: string;
  pattern: RegExp;
  /** Meaning of the setting, and its permitted values. */
  description: string;
}

/** Declarative definition of a vendor. */
export interface Vendor {
  /** Identifier in responses, files and metrics: lower-case letters, digits and hyphens. */
  id: string;
  title: string;
  /**
   * Base address of its API without a trailing slash; for a server that the operator runs, the environment variable with it.
   */
  base: string | { env: string };
  /** Address of the API documentation. */
  docs: string;
  /** null when no key is needed. */
  key: {
    env: string;
    header: string;
    /** Precedes the key, with its space. */
    prefix?: string;
    /** Free request that is documented to answer 401 for a wrong key. */
    check?: VendorRequest;
  } | null;
  limits: VendorLimits & {
    /** Maximum number of concurrent calls in one process. */
    concurrency: number;
  };
  services: Readonly<Partial<Record<VendorServiceName, VendorService>>>;
  /** Searches of companies and people, which make the vendor a directory. */
  searches?: Readonly<Partial<Record<VendorSearchName, VendorSearch>>>;
  /** Statuses whose meaning differs from the usual one. */
  meaning?: Readonly<Record<number, Meaning>>;
  /** Returns the meaning of a refusal according to its body; null when there is none. Nothing else of the body is used. */
  meaningOf?: (status: number, body: unknown) => Meaning | null;
  /** Returns milliseconds until calls may continue, for responses without Retry-After. */
  pauseMs?: (header: (name: string) => string | null) => number | undefined;
  settings?: Readonly<Record<string, VendorSetting>>;
}

/** @returns the vendor unchanged; the parameter type makes the compiler check that it is complete */
export function defineVendor(vendor: Vendor): Vendor {
  return vendor;
}

/** Typed form of a service: {@link VendorService} erases its types, so that vendors fit into one list. */
interface TypedService<Name extends VendorServiceName, Answer extends z.ZodType> extends Omit<
  VendorService,
  'request' | 'answer' | 'state' | 'map' | 'cost'
> {
  request(input: VendorServices[Name]['input'], settings: VendorSettings): VendorRequest | null;
  answer: Answer;
  state?(answer: z.infer<Answer>): 'done' | Meaning;
  map(answer: z.infer<Answer>, input: VendorServices[Name]['input']): VendorServices[Name]['output'] | null;
  cost?(answer: z.infer<Answer>): Cost | null;
}

/** @param _name of the service, which determines the types of input and output */
export function defineService<Name extends VendorServiceName, Answer extends z.ZodType>(
  _name: Name,
  service: TypedService<Name, Answer>,
): VendorService {
  return service as unknown as VendorService;
}

/** Defines a {@link VendorPoll} with its types. */
export function definePoll<Started extends z.ZodType, Reading extends z.ZodType>(
  poll: Omit<VendorPoll, 'started' | 'id' | 'reading' | 'state' | 'result'> & {
    started: Started;
    id(started: z.infer<Started>): string;
    reading: Reading;
    state(reading: z.infer<Reading>): JobState;
    result?(reading: z.infer<Reading>): VendorRequest;
  },
): VendorPoll {
  return poll as unknown as VendorPoll;
}
