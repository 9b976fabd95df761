import type { RetentionRule } from '@quarry/app';
import { retentionRule, type Database } from '@quarry/postgres';
import { statement } from './statements.types.js';

/** Retention of a delivery with its attempts in days, the same as that of its event. */
export const DELIVERY_DAYS = 30;
const DELIVERIES_PER_TRANSACTION = 1000;

/** Returns the retention rules of webhooks: deliveries expire after 30 days. */
export function webhookRetention(database: Database): RetentionRule[] {
  return [
    retentionRule(database, 'deliveries of webhooks', DELETE_DELIVERIES, [
      DELIVERY_DAYS,
      DELIVERIES_PER_TRANSACTION,
    ]),
  ];
}

const DELETE_DELIVERIES = statement(
  'webhook-retention.deleteDeliveries',
  `
  WITH gone AS (
    DELETE FROM webhooks.deliveries WHERE (org_id, mode, endpoint_id, id) IN (
      SELECT org_id, mode, endpoint_id, id FROM webhooks.deliveries WHERE created_at < clock_timestamp() - make_interval(days => $1)
      ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    RETURNING org_id, mode, endpoint_id, id),
  attempts AS (
    DELETE FROM webhooks.attempts a USING gone g
    WHERE a.org_id = g.org_id AND a.mode = g.mode AND a.endpoint_id = g.endpoint_id AND a.delivery_id = g.id)
  SELECT 1 FROM gone`,
);
