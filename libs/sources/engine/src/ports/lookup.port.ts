import type { JobErrorCode } from '@quarry/error-codes';

/** Price that a provider charges for a search, in its own unit. */
export interface Cost {
  amount: number;
  /** Name that the vendor uses, such as `hunter_credit` or `usd`. */
  unit: string;
}

/** Step of one provider in the waterfall of a search. Source: docs/vendors.md. */
export interface TrailStep {
  provider: string;
  /** `skipped`: the input lacks what this provider needs, so it was not called. */
  outcome: 'hit' | 'miss' | 'skipped' | 'failed';
  /** Error code of a failure; `not_accepted` for a miss whose result the accept rule rejected; else null. */
  code: JobErrorCode | 'not_accepted' | null;
  /** ISO 8601 in UTC, from the clock of this process. */
  started_at: string;
  /** Includes the wait for a turn and retries. */
  duration_ms: number;
  cost: Cost | null;
}

/**
 * Stores the ids of running vendor jobs, one line per vendor, so that a worker that takes over the search polls them
 * instead of starting new ones.
 */
export interface VendorJob {
  /** @returns the value saved last for this search; null when nothing was saved */
  read(): Promise<string | null>;
  /** Resolves when the value is stored. @throws SearchLostError when another worker has taken over the search */
  save(id: string): Promise<void>;
}

/** One search at a provider. */
export interface ProviderCall {
  service: string;
  /** Input that passed validation by the service's schema. */
  input: Readonly<Record<string, unknown>>;
  /** Id of the job, or of the hold of a direct call. It is the same for every retry and is sent as the idempotency key. */
  searchId: string;
  /**
   * Statuses of an address that end the search; if omitted, every result that the provider itself counts as found ends it.
   */
  stopsAt?: readonly string[];
  /** Fires at the search's deadline, when its lease is lost, and at shutdown. */
  signal: AbortSignal;
  /** Pauses the deadline while the search waits for its turn. @returns a function that resumes it */
  holdDeadline?: () => () => void;
  /** Called right before a provider is called; until then nothing of this search has left the process. */
  onCall?: () => void;
  /** Store for the id of a vendor's job; if omitted, the id is lost with this call. */
  vendorJob?: VendorJob;
  /**
   * Returns the provider of a fast service for this organisation; null when there is none. If omitted, no service has one.
   */
  lookupFor?: (service: string) => Promise<Pick<LookupProvider, 'answerCall'> | null>;
}

/** Result of a search. `found: false` means that the search completed and found nothing. */
export interface ProviderAnswer {
  found: boolean;
  /** True when the Deep agent ran and completed. */
  deep: boolean;
  provider: string;
  /** Output that matches the service's output schema. */
  output: Record<string, unknown>;
  /** Price that the provider charges for it; omitted when unknown. */
  cost?: Cost | null;
  /** True when something was found that the operator's accept rule does not count as found. */
  isDeclined?: boolean;
  /** Set when the call used the organisation's own key, so the vendor bills the organisation; if omitted, the operator. */
  paidBy?: 'organisation';
  /** Steps of all providers of a waterfall, in order. */
  trail?: readonly TrailStep[];
}

/** @returns an answer without the Deep agent; `output` has the fields of the service except the provider */
export function answerOf(provider: string, found: boolean, output: object): ProviderAnswer {
  return { found, deep: false, provider, output: { ...output, provider } };
}

/** Error for a search that another worker has taken over: this process must not call providers for it any more. */
export class SearchLostError extends Error {
  override readonly name = 'SearchLostError';
}

/** Task that the operator must do before a provider can be called again. */
export type OperatorTask = 'key' | 'credits';

/** Failure of a search. The message is shown to the customer. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** Steps of all providers of a waterfall, in order. */
  trail: readonly TrailStep[] = [];

  constructor(
    readonly code: JobErrorCode,
    message: string,
    readonly options: {
      provider: string | null;
      /** True when the Deep agent had completed its search, which is charged. */
      deepFinished?: boolean;
      /** True when an immediate retry may help; the caller decides. */
      isTransient?: boolean;
      /** Time after which the provider accepts calls again, as it reported. */
      retryAfterMs?: number | undefined;
      /** Set when the account at the provider is the cause: no other input would succeed. */
      needsOperator?: OperatorTask | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
  }
}

/** Source that implements some services. */
export interface ServiceProvider<Call extends ProviderCall, Answer extends ProviderAnswer> {
  readonly id: string;
  /** Names of the services it implements. */
  readonly services: readonly string[];
  /** @returns whether the input has what this provider needs; if omitted, every input is accepted */
  acceptsCall?(call: Call): boolean;
  /** @throws ProviderFailure */
  answerCall(call: Call): Promise<Answer>;
}

/** Source for services about one subject at a time: slow ones, and fast ones that do not search a directory. */
export type LookupProvider = ServiceProvider<ProviderCall, ProviderAnswer>;
