import type { RetentionRule } from '@quarry/app';
import { retentionRule, type Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/** Retention of a push after its end, with its refused rows, in days. */
export const PUSH_DAYS = 30;
const PUSHES_PER_TRANSACTION = 100;

/** Returns the retention rules of destinations: pushes expire 30 days after their end. Records of sent rows stay. */
export function pushRetention(database: Database): RetentionRule[] {
  return [
    retentionRule(database, 'pushes to destinations', DELETE_PUSHES, [PUSH_DAYS, PUSHES_PER_TRANSACTION]),
  ];
}

const DELETE_PUSHES = statement(
  'push-retention.deletePushes',
  `DELETE FROM destinations.pushes WHERE (org_id, mode, destination_id, id) IN (
     SELECT org_id, mode, destination_id, id FROM destinations.pushes
     WHERE ended_at < clock_timestamp() - make_interval(days => $1) ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
);
