import type { Failpoints as PointsOf } from '@quarry/app';

/** Moments in the life of a batch and its lines, in order, at which a fault test may kill, stop or delay a process. */
export type Failpoint =
  | 'after_batch_commit_before_relay'
  | 'claimed'
  | 'attempt_committed'
  | 'provider_sent'
  | 'provider_answered'
  | 'before_settle_commit'
  | 'after_settle_commit';

export type Failpoints = PointsOf<Failpoint>;
