import type { ContactInput, LOOKUP_OUTPUTS } from '@quarry/service-catalog';
import type { z } from 'zod';
import type { PhonesFound } from '@quarry/extraction';
import type { Cost } from '@quarry/engine';
import type { VendorSearch, VendorSearchName } from './vendor-search.js';

/** Answer of getEmail without `found` and `provider`, which the engine adds. */
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

/** Input and output of each service that a vendor may answer. Source: the catalogue, which validates both again when it runs. */
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

/** One call of a vendor, without what every call of it has: address, key, accepted types. */
export interface VendorRequest {
  method: 'GET' | 'POST';
  /** Behind the base address, with its slash; parts that come from an input are encoded by whoever writes it. */
  path: string;
  /** Undefined parameters are left out. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  body?: unknown;
}

/**
 * Meaning of a refusal:
 * - `miss`: it was searched, and nothing is there;
 * - `rejected`: this input cannot be looked up here, and never will;
 * - `auth`, `credits`: the operator's account; no call follows until the operator had time to put it right;
 * - `rate`: too many calls; after the pause that it names, they go on;
 * - `transient`: the same call may go better at once;
 * - `failed`: the vendor's own failure, which would come again.
 */
export type Meaning = 'miss' | 'rejected' | 'auth' | 'credits' | 'rate' | 'transient' | 'failed';

/** State of a vendor's job. A failed one is not started again: it may have been charged. */
export type JobState = 'pending' | 'done' | Exclude<Meaning, 'rate' | 'transient'>;

/** Settings of a vendor by name, as PROVIDERS_FILE gives them. */
export type VendorSettings = Readonly<Record<string, string>>;

/** For vendors that work on a job and answer later. */
export interface VendorPoll {
  /** Answer to the call that begins the job. */
  started: z.ZodType;
  /** @returns the id of the vendor's job */
  id(started: unknown): string;
  read(id: string): VendorRequest;
  /** Answer while the job goes on, and at its end. */
  reading: z.ZodType;
  state(reading: unknown): JobState;
  /** Returns the request for the result of a done job; left out, the last reading is the answer. */
  result?(reading: unknown): VendorRequest;
  /** Between two readings of one job. */
  everyMs: number;
  /** Readings of all jobs in a minute; left out, as many as there are. */
  perMinute?: number;
}

export interface VendorLimits {
  /** Calls that may start in a second and in a minute, in one process. */
  perSecond?: number;
  perMinute?: number;
}

/** One service of a vendor. */
export interface VendorService {
  /** Inputs that it needs, and the price of a find, in words for docs/providers.md. */
  needs: string;
  price: string;
  /** Of getEmail, where not all: statuses that a find may have. Whoever finds none that counts is not asked. */
  statuses?: readonly string[];
  /** Those of the vendor where left out. */
  limits?: VendorLimits;
  /** @returns null when the input does not name what the vendor needs: it is passed over */
  request(input: never, settings: VendorSettings): VendorRequest | null;
  /** Schema of the answer. Fields that it leaves out may be anything. */
  answer: z.ZodType;
  /** Returns the state that a 200 reports beside its data; left out, it is an answer. */
  state?(answer: never): 'done' | Meaning;
  /** @returns null when nothing was found */
  map(answer: never, input: never): Record<string, unknown> | null;
  /** Returns the vendor's charge; left out where it reports none. */
  cost?(answer: never): Cost | null;
  poll?: VendorPoll;
}

/** A setting that a vendor's requests read, such as the name of an actor. */
export interface VendorSetting {
  default: string;
  pattern: RegExp;
  /** Meaning of the setting, and its permitted values. */
  description: string;
}

/** A vendor as data. */
export interface Vendor {
  /** Lower-case letters, digits and hyphens: names it in answers, files and metrics. */
  id: string;
  title: string;
  /** Address of its interface without a slash at the end; the name of a variable where the operator runs it. */
  base: string | { env: string };
  /** Address of the documentation of the interface. */
  docs: string;
  /** null for one that asks for no key. */
  key: { env: string; header: string; /** In front of the key, with its space. */ prefix?: string } | null;
  limits: VendorLimits & {
    /** Calls open at once, in one process. */
    concurrency: number;
  };
  services: Readonly<Partial<Record<VendorServiceName, VendorService>>>;
  /** Searches of companies and people, by which it is a directory. */
  searches?: Readonly<Partial<Record<VendorSearchName, VendorSearch>>>;
  /** Statuses that mean something else here than they usually do. */
  meaning?: Readonly<Record<number, Meaning>>;
  /** Returns the meaning of a refusal's body; null when it has none. Only its verdict leaves this function. */
  meaningOf?: (status: number, body: unknown) => Meaning | null;
  /** Milliseconds until calls may go on, where no Retry-After says so. */
  pauseMs?: (header: (name: string) => string | null) => number | undefined;
  settings?: Readonly<Record<string, VendorSetting>>;
}

/** @returns the vendor as it was given; the compiler has seen that nothing is missing */
export function defineVendor(vendor: Vendor): Vendor {
  return vendor;
}

/** The same service with its types known: {@link VendorService} forgets them, so that vendors fit into one list. */
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

/** @param _name of the service, which gives input and output their types */
export function defineService<Name extends VendorServiceName, Answer extends z.ZodType>(
  _name: Name,
  service: TypedService<Name, Answer>,
): VendorService {
  return service as unknown as VendorService;
}

/** {@link VendorPoll} with its types known. */
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
