import type { RetentionRule } from '@quarry/app';
import { retentionRule, type Database } from '@quarry/postgres';
import { isWorkspaceGone } from '@quarry/runs';
import { statement } from './statements.types.js';

/** Retention of a monitor run's record, in days: longer than the month that budgets cover. */
const MONITOR_RUN_DAYS = 365;
const DATES_PER_TRANSACTION = 200;
const MONITORS_PER_TRANSACTION = 20;

/** Returns the retention rules for monitors: run records expire some time after their end, everything else with the workspace. */
export function monitorRetention(database: Database): RetentionRule[] {
  return [
    retentionRule(database, 'dates of monitors', DELETE_MONITOR_RUNS, [
      MONITOR_RUN_DAYS,
      DATES_PER_TRANSACTION,
    ]),
    retentionRule(database, 'monitors of deleted workspaces', DELETE_MONITORS, [MONITORS_PER_TRANSACTION]),
  ];
}

const DELETE_MONITOR_RUNS = statement(
  'monitor-retention.deleteMonitorRuns',
  `
  DELETE FROM runs.monitor_runs WHERE (org_id, mode, monitor_id, due_at) IN (
    SELECT org_id, mode, monitor_id, due_at FROM runs.monitor_runs
    WHERE ended_at < clock_timestamp() - make_interval(days => $1) ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`,
);

const DELETE_MONITORS = statement(
  'monitor-retention.deleteMonitors',
  `
  WITH gone AS (
    DELETE FROM runs.monitors WHERE (org_id, mode, id) IN (
      SELECT m.org_id, m.mode, m.id FROM runs.monitors m WHERE ${isWorkspaceGone('m')} LIMIT $1 FOR UPDATE SKIP LOCKED)
    RETURNING org_id, mode, id),
  items AS (DELETE FROM runs.monitor_items i USING gone g WHERE i.org_id = g.org_id AND i.mode = g.mode AND i.monitor_id = g.id),
  runs AS (DELETE FROM runs.monitor_runs r USING gone g WHERE r.org_id = g.org_id AND r.mode = g.mode AND r.monitor_id = g.id)
  SELECT 1 FROM gone`,
);
