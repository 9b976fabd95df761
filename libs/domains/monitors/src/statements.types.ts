// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'erase-from-monitors.deleteMonitors': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: Record<never, unknown>;
  };
  'erase-from-monitors.monitorsAbout.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; texts: unknown };
  };
  'erase-from-monitors.monitorsAbout.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; texts: unknown };
  };
  'monitor-dates.activeRun': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { '?column?': number | null };
  };
  'monitor-dates.begun': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      Date | string | null,
      string | null,
      string | null,
      string | null,
      number | null,
    ];
    row: Record<never, unknown>;
  };
  'monitor-dates.claim': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, Date | string | null];
    row: {
      cron: string;
      time_zone: string;
      workspace_id: string;
      conversation_id: string;
      prompt: string;
      plans: unknown;
      is_silent: boolean | null;
      budget: string | null;
      now: Date | null;
    };
  };
  'monitor-dates.due': {
    params: readonly [Date | string | null];
    row: { org_id: string; mode: 'live' | 'test'; id: string; key_id: string | null };
  };
  'monitor-dates.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      Date | string | null,
      string | null,
      boolean | null,
    ];
    row: { due_at: Date };
  };
  'monitor-dates.lock': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      cron: string;
      time_zone: string;
      workspace_id: string;
      conversation_id: string;
      prompt: string;
      plans: unknown;
      is_silent: boolean | null;
      budget: string | null;
      now: Date | null;
    };
  };
  'monitor-dates.pause': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      Date | string | null,
    ];
    row: Record<never, unknown>;
  };
  'monitor-dates.putOff': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      Date | string | null,
      number | null,
    ];
    row: Record<never, unknown>;
  };
  'monitor-dates.setNext': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, Date | string | null];
    row: Record<never, unknown>;
  };
  'monitor-items.add': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<boolean | null> | null,
      number | null,
    ];
    row: Record<never, unknown>;
  };
  'monitor-items.compare': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
      string | null,
    ];
    row: { identity: string; has_changed: boolean | null };
  };
  'monitor-items.open': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { identity_key: string; watch: ReadonlyArray<string | null> | null; is_silent: boolean };
  };
  'monitor-items.see': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { identity: string; has_changed: boolean | null };
  };
  'monitor-retention.deleteMonitorRuns': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'monitor-retention.deleteMonitors': {
    params: readonly [number | string | null];
    row: { '?column?': number | null };
  };
  'monitor.change': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      Date | string | null,
      number | string | null,
      number | string | null,
    ];
    row: { id: string };
  };
  'monitor.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
      number | string | null,
      string | null,
      Date | string | null,
      number | string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string };
  };
  'monitor.list': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: {
      id: string;
      name: string;
      workspace_id: string;
      status: 'active' | 'paused';
      pause_reason:
        'requested' | 'budget' | 'credits' | 'failures' | 'key_revoked' | 'workspace_archived' | null;
      prompt: string;
      plans: unknown;
      cron: string;
      time_zone: string;
      first_run: 'deliver' | 'silent';
      run_credits_max: string | null;
      month_credits_max: string | null;
      watch: ReadonlyArray<string | null> | null;
      created_at: string | null;
      last_run: unknown;
    };
  };
  'monitor.listItems': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      Date | string | null,
      Date | string | null,
      string | null,
      number | string | null,
    ];
    row: {
      identity: string;
      first_seen: string | null;
      updated_at: string | null;
      run_id: string;
      table_id: string;
      row_id: string;
      found_in: string | null;
      found_as: string | null;
      position: string | null;
    };
  };
  'monitor.listRuns': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      Date | string | null,
      number | string | null,
    ];
    row: { json: string | null; at: string | null };
  };
  'monitor.lock': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { cron: string; time_zone: string };
  };
  'monitor.lockTenant': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { pg_advisory_xact_lock: string | null };
  };
  'monitor.pause': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'monitor.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      id: string;
      name: string;
      workspace_id: string;
      status: 'active' | 'paused';
      pause_reason:
        'requested' | 'budget' | 'credits' | 'failures' | 'key_revoked' | 'workspace_archived' | null;
      prompt: string;
      plans: unknown;
      cron: string;
      time_zone: string;
      first_run: 'deliver' | 'silent';
      run_credits_max: string | null;
      month_credits_max: string | null;
      watch: ReadonlyArray<string | null> | null;
      created_at: string | null;
      last_run: unknown;
    };
  };
  'monitor.readRun': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, Date | string | null];
    row: { json: string | null };
  };
  'monitor.remove': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'monitor.removeItems': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'monitor.removeRuns': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'monitor.resume': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      Date | string | null,
      string | null,
    ];
    row: { id: string };
  };
  'monitor.workingRuns': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
