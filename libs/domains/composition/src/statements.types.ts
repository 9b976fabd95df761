// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { Num, Typed } from '@quarry/postgres';

interface StatementTypes {
  'product-metrics.activeGoRuns': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.activeRuns': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.dueWebhooks': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.heldCredits': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.ledgerCheckAge': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.oldestDueDelivery': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.oldestDueMessage': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.oldestDuePush': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.oldestFullLine': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.oldestOpenLine': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.oldestUnreadMailbox': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.oldestWaitingRun': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.openLines': Typed<[], { labels: unknown; value: Num }>;
  'product-metrics.overdue': Typed<[ReadonlyArray<number | null> | null], { labels: unknown; value: Num }>;
  'product-metrics.waitingSourcingRuns': Typed<[], { labels: unknown; value: Num }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
