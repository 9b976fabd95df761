import type { JobErrorCode } from '@quarry/error-codes';

/** Outcome of a call: a response, a failure, or `abandoned` when its job was aborted. */
export type CallOutcome = 'found' | 'not_found' | JobErrorCode | 'abandoned';

export type Refusal = 'breaker' | 'pause' | 'wait';

/** Metrics of one provider in this process. */
export interface ProviderMetrics {
  provider: string;
  calls: ReadonlyMap<CallOutcome, number>;
  /** Number of these calls that were retries. */
  retries: number;
  /**
   * Searches that ended without a call, by reason: the breaker was open, the pause was too long, or the wait for a turn timed
   * out.
   */
  refusals: Readonly<Record<Refusal, number>>;
  /** Strings of responses that contained characters PostgreSQL cannot store. */
  cleanedStrings: number;
  open: number;
  waiting: number;
  isBreakerOpen: boolean;
}
