import type { RetentionRule } from '@quarry/app';
import { retentionRule, type Database } from '@quarry/postgres';
import { statement } from './statements.types.js';

const ENRICHMENTS_PER_TRANSACTION = 20;

/**
 * Returns the retention rules of enrichments, which are deleted with their steps.
 * @param detailDays retention after their end, the same as for prompts and steps of runs
 */
export function enrichmentRetention(
  database: Database,
  { detailDays }: { detailDays: number },
): RetentionRule[] {
  return [
    retentionRule(database, 'enrichments', DELETE_ENRICHMENTS, [detailDays, ENRICHMENTS_PER_TRANSACTION]),
  ];
}

const DELETE_ENRICHMENTS = statement(
  'enrichment-retention.deleteEnrichments',
  `
  DELETE FROM runs.enrichments WHERE id IN (
    SELECT id FROM runs.enrichments WHERE ended_at < clock_timestamp() - make_interval(days => $1)
    ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`,
);
