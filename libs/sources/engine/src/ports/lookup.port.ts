import type { JobErrorCode } from '@quarry/error-codes';

/** A provider's own charge for a search, in its own unit. */
export interface Cost {
  amount: number;
  /** In the vendor's words, such as `hunter_credit` or `usd`. */
  unit: string;
}

/** Part of one provider of a waterfall in a search. Source: docs/vendors.md. */
export interface TrailStep {
  provider: string;
  /** `skipped`: the input does not name what this provider needs, so it was not asked. */
  outcome: 'hit' | 'miss' | 'skipped' | 'failed';
  /** Of a failure; `not_accepted` of a miss whose find the accept rule refused; else null. */
  code: JobErrorCode | 'not_accepted' | null;
  /** ISO 8601 in UTC, by the clock of this process. */
  started_at: string;
  /** Waiting for a turn and repeated calls included. */
  duration_ms: number;
  cost: Cost | null;
}

/** Keeps the ids of jobs that vendors work on, a line for each vendor, so that whoever takes the search over asks for them instead of starting others. */
export interface VendorJob {
  /** @returns what was saved last for this search; null when nothing was */
  read(): Promise<string | null>;
  /** Resolves when the id is safe. @throws SearchLostError when the search is another's now */
  save(id: string): Promise<void>;
}

/** One search at a provider. */
export interface ProviderCall {
  service: string;
  /** Input as the service's schema accepted it. */
  input: Readonly<Record<string, unknown>>;
  /** Of the job, or of the hold of a direct call; the same for every repeat. Goes out as the idempotency key. */
  searchId: string;
  /** Statuses of an address that end the search; left out, every find does that the provider itself counts as one. */
  stopsAt?: readonly string[];
  /** Fires at the search's deadline, when its lease is lost, and at shutdown. */
  signal: AbortSignal;
  /** Stops the deadline's clock while the search waits for its turn. @returns what lets it go on */
  holdDeadline?: () => () => void;
  /** Told right before a provider is asked; until then nobody outside knows of this search. */
  onCall?: () => void;
  /** Left out, the id of a vendor's job lives as long as this call. */
  vendorJob?: VendorJob;
  /** Returns the provider of a fast service for this organisation; null when there is none. Left out, no service has any. */
  lookupFor?: (service: string) => Promise<Pick<LookupProvider, 'answerCall'> | null>;
}

/** An answer, also a negative one: `found: false` says that it was searched and nothing is there. */
export interface ProviderAnswer {
  found: boolean;
  /** True where the Deep agent did (and finished) its part. */
  deep: boolean;
  provider: string;
  /** Meets the service's output schema. */
  output: Record<string, unknown>;
  /** Charge of the provider for it; left out where nobody knows. */
  cost?: Cost | null;
  /** Something was found that the operator's accept rule does not count as a find. */
  isDeclined?: boolean;
  /** The vendor's bill goes to the organisation, whose own key was shown; left out, to the operator. */
  paidBy?: 'organisation';
  /** Of a waterfall: everybody who took part, in order. */
  trail?: readonly TrailStep[];
}

/** The search belongs to somebody else now: nobody may be asked for it here any more. */
export class SearchLostError extends Error {
  override readonly name = 'SearchLostError';
}

/** Task of the operator before a provider can be called again. */
export type OperatorTask = 'key' | 'credits';

/** The search gave no answer. The message is shown to the customer. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** Of a waterfall: everybody who took part, in order. */
  trail: readonly TrailStep[] = [];

  constructor(
    readonly code: JobErrorCode,
    message: string,
    readonly options: {
      provider: string | null;
      /** The Deep agent had finished its search, which is charged. */
      deepFinished?: boolean;
      /** Asking the same again at once may help; the caller decides whether to. */
      isTransient?: boolean;
      /** The provider said when to come back. */
      retryAfterMs?: number | undefined;
      /** The account at the provider is the reason: nobody else's input will fare better. */
      needsOperator?: OperatorTask | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
  }
}

/** A source that can answer some services. */
export interface ServiceProvider<Call extends ProviderCall, Answer extends ProviderAnswer> {
  readonly id: string;
  /** Names of the services that it answers. */
  readonly services: readonly string[];
  /** @returns whether the input names what this provider needs; left out, it takes every input */
  acceptsCall?(call: Call): boolean;
  /** @throws ProviderFailure */
  answerCall(call: Call): Promise<Answer>;
}

/** A source that answers services about one subject at a time: slow ones, and fast ones that search no directory. */
export type LookupProvider = ServiceProvider<ProviderCall, ProviderAnswer>;
