import type { RetentionRule } from '@quarry/app';
import { retentionRule, type Database } from '@quarry/postgres';
import { GO_DAYS } from './go-terms.js';
import { statement } from '../statements.types.js';

// Small, so that no statement locks many rows.
const RUNS_PER_TRANSACTION = 20;
const PAGES_PER_TRANSACTION = 50;

/** Returns the retention rules of Go: runs and steps 30 days after their end, pages 30 days after their last read. */
export function goRetention(database: Database): RetentionRule[] {
  return [
    retentionRule(database, 'Go runs', DELETE_RUNS, [GO_DAYS, RUNS_PER_TRANSACTION]),
    retentionRule(database, 'pages that Go has read', DELETE_PAGES, [PAGES_PER_TRANSACTION]),
  ];
}

const DELETE_RUNS = statement(
  'go-retention.deleteRuns',
  `
  DELETE FROM go.runs WHERE id IN (
    SELECT id FROM go.runs WHERE ended_at < clock_timestamp() - make_interval(days => $1)
    ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`,
);

const DELETE_PAGES = statement(
  'go-retention.deletePages',
  `
  DELETE FROM go.pages WHERE (org_id, mode, sha256) IN (
    SELECT org_id, mode, sha256 FROM go.pages WHERE kept_until < clock_timestamp()
    ORDER BY kept_until LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING 1`,
);
