import type { JobErrorCode } from '@quarry/error-codes';

/** One search at a provider. */
export interface ProviderCall {
  service: string;
  /** Input as the service's schema accepted it. */
  input: Readonly<Record<string, unknown>>;
  /** Of the job, or of the hold of a direct call; the same for every repeat. Goes out as the idempotency key. */
  searchId: string;
  /** Fires at the search's deadline, when its lease is lost, and at shutdown. */
  signal: AbortSignal;
  /** Stops the deadline's clock while the search waits for its turn. @returns what lets it go on */
  holdDeadline?: () => () => void;
  /** Told right before a provider is asked; until then nobody outside knows of this search. */
  onCall?: () => void;
}

/** An answer, also a negative one: `found: false` says that it was searched and nothing is there. */
export interface ProviderAnswer {
  found: boolean;
  /** Whether the Deep agent did (and finished) its part. */
  deep: boolean;
  provider: string;
  /** Meets the service's output schema. */
  output: Record<string, unknown>;
}

/** The search gave no answer. The message is shown to the customer. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
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
      retryAfterMs?: number;
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
  /** @throws ProviderFailure */
  run(call: Call): Promise<Answer>;
}

/** A source that answers services about one subject at a time: slow ones, and fast ones that search no directory. */
export type LookupProvider = ServiceProvider<ProviderCall, ProviderAnswer>;
