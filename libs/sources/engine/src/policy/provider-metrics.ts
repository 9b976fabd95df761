import type { JobErrorCode } from '@quarry/error-codes';

/** End of a call: an answer, a failure, or `abandoned` because its line was taken away. */
export type CallOutcome = 'found' | 'not_found' | JobErrorCode | 'abandoned';

export type Refusal = 'breaker' | 'pause' | 'wait';

/** Metrics of one provider in this process. */
export interface ProviderMetrics {
  provider: string;
  calls: ReadonlyMap<CallOutcome, number>;
  /** Calls among them that repeated another. */
  retries: number;
  /** Searches that ended without a call: the breaker was open, a pause too long, or no turn came in time. */
  refusals: Readonly<Record<Refusal, number>>;
  /** Strings of answers that PostgreSQL could not have held. */
  cleanedStrings: number;
  open: number;
  waiting: number;
  isBreakerOpen: boolean;
}
