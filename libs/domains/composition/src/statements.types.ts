// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'organisation.allowLong': { params: readonly []; row: Record<never, unknown> };
  'product-metrics.activeGoRuns': { params: readonly []; row: { labels: unknown; value: number | null } };
  'product-metrics.activeRuns': { params: readonly []; row: { labels: unknown; value: number | null } };
  'product-metrics.dueWebhooks': { params: readonly []; row: { labels: unknown; value: number | null } };
  'product-metrics.heldCredits': { params: readonly []; row: { labels: unknown; value: number | null } };
  'product-metrics.ledgerCheckAge': { params: readonly []; row: { labels: unknown; value: number | null } };
  'product-metrics.oldestDueDelivery': {
    params: readonly [];
    row: { labels: unknown; value: number | null };
  };
  'product-metrics.oldestDueMessage': { params: readonly []; row: { labels: unknown; value: number | null } };
  'product-metrics.oldestDuePush': { params: readonly []; row: { labels: unknown; value: number | null } };
  'product-metrics.oldestFullLine': { params: readonly []; row: { labels: unknown; value: number | null } };
  'product-metrics.oldestOpenLine': { params: readonly []; row: { labels: unknown; value: number | null } };
  'product-metrics.oldestUnreadMailbox': {
    params: readonly [];
    row: { labels: unknown; value: number | null };
  };
  'product-metrics.openLines': { params: readonly []; row: { labels: unknown; value: number | null } };
  'product-metrics.overdue': {
    params: readonly [
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
      number | null,
    ];
    row: { labels: unknown; value: number | null };
  };
  'product-metrics.waitingSourcingRuns': {
    params: readonly [];
    row: { labels: unknown; value: number | null };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
