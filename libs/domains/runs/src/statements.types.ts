// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'conversation-record.past': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: {
      id: string | null;
      created_at: string | null;
      plans: unknown;
      total: number | null;
      excluded: number | null;
      shown: number | null;
      disqualified: number | null;
    };
  };
  'earlier-tables.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { run_id: string; plans: unknown; made: unknown };
  };
  'earlier-tables.rows': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: { rows: unknown };
  };
  'enrichment-lease.beginStep': {
    params: readonly [string | null, string | null, string | null, string | null];
    row: { '?column?': number | null };
  };
  'enrichment-lease.claim': {
    params: readonly [string | null, string | null, number | string | null];
    row: {
      org_id: string;
      mode: 'live' | 'test';
      key_id: string | null;
      table_id: string;
      columns: unknown;
      row_ids: ReadonlyArray<string | null>;
      call_scope: string;
      is_fresh: boolean;
    };
  };
  'enrichment-lease.end': {
    params: readonly [string | null, string | null, string | null];
    row: { '?column?': number | null };
  };
  'enrichment-lease.findStep': {
    params: readonly [string | null, string | null];
    row: { input: unknown; result: unknown; finished: boolean | null };
  };
  'enrichment-lease.finishStep': {
    params: readonly [string | null, string | null, string | null, string | null];
    row: { '?column?': number | null };
  };
  'enrichment-lease.openLists': { params: readonly [string | null]; row: { batch_id: string | null } };
  'enrichment-lease.release': {
    params: readonly [string | null, string | null];
    row: Record<never, unknown>;
  };
  'enrichment-lease.renew': {
    params: readonly [string | null, string | null, number | string | null];
    row: { '?column?': number | null };
  };
  'enrichment-lease.signals': {
    params: readonly [string | null, string | null];
    row: { cancellation_requested: boolean; key_id: string | null; workspace_id: string };
  };
  'enrichment-lease.takeSilent': { params: readonly [number | string | null]; row: { id: string } };
  'enrichment-waiters.endedAmong': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { id: string };
  };
  'enrichment.cancel': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { '?column?': number | null };
  };
  'enrichment.hasEnded': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { has_ended: boolean | null };
  };
  'enrichment.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
      string | null,
      boolean | null,
      number | null,
      number | string | null,
    ];
    row: Record<never, unknown>;
  };
  'enrichment.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      table_id: string;
      status: 'queued' | 'running' | 'completed' | 'cancelled';
      not_covered: number;
      credits_max: string;
      created_at: string | null;
      completed_at: string | null;
      cells: number | null;
      results: unknown;
    };
  };
  'erase-from-runs.deleteMonitors': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: Record<never, unknown>;
  };
  'erase-from-runs.deletePlans': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { '?column?': number | null };
  };
  'erase-from-runs.deleteSteps': {
    params: readonly [string | null, boolean | null, ReadonlyArray<string | null> | null];
    row: { '?column?': number | null };
  };
  'erase-from-runs.enrichmentsAbout.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; columns: unknown; steps: unknown; ended: boolean | null };
  };
  'erase-from-runs.enrichmentsAbout.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; columns: unknown; steps: unknown; ended: boolean | null };
  };
  'erase-from-runs.monitorsAbout.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; texts: unknown };
  };
  'erase-from-runs.monitorsAbout.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; texts: unknown };
  };
  'erase-from-runs.openWork': {
    params: readonly [ReadonlyArray<string | null> | null, Date | string | null];
    row: { open: number | null };
  };
  'erase-from-runs.planPage.all': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string; at: string | null; found: unknown };
  };
  'erase-from-runs.planPage.any': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string; at: string | null; found: unknown };
  };
  'erase-from-runs.readPage.all': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string; workspace_id: string; at: string | null; ended: boolean | null; found: unknown };
  };
  'erase-from-runs.readPage.any': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string; workspace_id: string; at: string | null; ended: boolean | null; found: unknown };
  };
  'erase-from-runs.redact': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'erase-from-runs.redactEnrichment': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'erase-from-runs.stepsAbout.all': {
    params: readonly [string | null, ReadonlyArray<string | null> | null];
    row: { run_id: string; name: string; input: unknown; result: unknown };
  };
  'erase-from-runs.stepsAbout.any': {
    params: readonly [string | null, ReadonlyArray<string | null> | null];
    row: { run_id: string; name: string; input: unknown; result: unknown };
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
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
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
      number | null,
    ];
    row: Record<never, unknown>;
  };
  'monitor-items.open': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { identity_key: string; is_silent: boolean };
  };
  'monitor-items.see': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { identity: string };
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
      run_id: string;
      table_id: string;
      row_id: string;
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
  'plan.conversation': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { workspace_id: string; conversation_id: string };
  };
  'plan.find': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      id: string;
      prompt: string;
      workspace_id: string | null;
      conversation_id: string | null;
      output_contract: unknown;
      planner: string;
      plans: unknown;
      understood: unknown;
      root_plan_id: string | null;
      created_at: string | null;
    };
  };
  'plan.insert': {
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
    ];
    row: { created_at: string | null };
  };
  'run-lease.addArtifact': {
    params: readonly [string | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'run-lease.claim': {
    params: readonly [string | null, string | null, number | string | null, string | null];
    row: {
      id: string;
      org_id: string;
      mode: 'live' | 'test';
      key_id: string | null;
      workspace_id: string;
      conversation_id: string;
      prompt: string;
      output_contract: unknown;
      credits_max: string | null;
      created_at: string | null;
      losses: number;
      traceparent: string | null;
      monitor_id: string | null;
    };
  };
  'run-lease.end': {
    params: readonly [
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { '?column?': number | null };
  };
  'run-lease.expireAll': { params: readonly []; row: Record<never, unknown> };
  'run-lease.findUnfinished': {
    params: readonly [string | null];
    row: { batch_id: string | null; table_id: string | null };
  };
  'run-lease.handOver': {
    params: readonly [string | null, string | null, string | null];
    row: { '?column?': number | null };
  };
  'run-lease.reapLost': { params: readonly [number | null]; row: { id: string } };
  'run-lease.release': {
    params: readonly [string | null, string | null, boolean | null];
    row: Record<never, unknown>;
  };
  'run-lease.renew': {
    params: readonly [string | null, string | null, number | string | null];
    row: { '?column?': number | null };
  };
  'run-lease.setRootPlan': {
    params: readonly [string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'run-lease.signals': {
    params: readonly [string | null, string | null];
    row: { cancellation_requested: boolean; key_id: string | null; workspace_id: string };
  };
  'run-lease.takeSilent': { params: readonly [number | string | null, string | null]; row: { id: string } };
  'run-place.findConversation': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { workspace_id: string };
  };
  'run-reading.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { prompt: string; plans: unknown; tables: unknown };
  };
  'run-retention.deleteConversations': {
    params: readonly [number | string | null];
    row: { '?column?': number | null };
  };
  'run-retention.deleteEnrichments': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'run-retention.deleteMonitorRuns': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'run-retention.deleteMonitors': {
    params: readonly [number | string | null];
    row: { '?column?': number | null };
  };
  'run-retention.deletePlans': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'run-retention.deleteRuns': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: Record<never, unknown>;
  };
  'run-retention.deleteSteps': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: Record<never, unknown>;
  };
  'run-retention.emptyRuns': {
    params: readonly [number | null, number | string | null];
    row: { id: string };
  };
  'run-retention.findDueRuns': { params: readonly [number | string | null]; row: { id: string } };
  'run-steps.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      prompt: string;
      created_at: string | null;
      started_at: string | null;
      ended_at: string | null;
      steps: unknown;
    };
  };
  'run-waiters.endedAmong': { params: readonly [ReadonlyArray<string | null> | null]; row: { id: string } };
  'run.cancel': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { '?column?': number | null };
  };
  'run.exists': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { '?column?': number | null };
  };
  'run.findKnown': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string; body_hash: string };
  };
  'run.insert': {
    params: readonly [
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
      string | null,
      string | null,
      number | string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'run.insertConversation': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'run.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: { json: string | null };
  };
  'run.output': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { json: string | null };
  };
  'run.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { json: string | null };
  };
  'sourcing-account.owned': {
    params: readonly [string | null, string | null];
    row: { owned: number | null };
  };
  'sourcing-account.used': {
    params: readonly [string | null];
    row: {
      name: string | null;
      hold_id: string | null;
      held: boolean | null;
      kept_id: string | null;
      is_kept: boolean | null;
      used: string | null;
      pages: number | null;
    };
  };
  'step-journal.begin': {
    params: readonly [string | null, string | null, string | null, string | null];
    row: { '?column?': number | null };
  };
  'step-journal.find': {
    params: readonly [string | null, string | null];
    row: { input: unknown; result: unknown; finished: boolean | null };
  };
  'step-journal.finish': {
    params: readonly [string | null, string | null, string | null, string | null];
    row: { '?column?': number | null };
  };
  'step-journal.give': {
    params: readonly [string | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'step-journal.resultOfRunBefore': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: { result: unknown };
  };
  'step-journal.rowsOfRunBefore': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: { run_id: string; table_id: string | null; keys: ReadonlyArray<string | null> | null };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
