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
  'erase-from-plans.delete': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { '?column?': number | null };
  };
  'erase-from-plans.page.all': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string; at: string | null; found: unknown };
  };
  'erase-from-plans.page.any': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string; at: string | null; found: unknown };
  };
  'erase-from-runs.deleteSteps': {
    params: readonly [string | null, boolean | null, ReadonlyArray<string | null> | null];
    row: { '?column?': number | null };
  };
  'erase-from-runs.openRuns': {
    params: readonly [ReadonlyArray<string | null> | null, Date | string | null];
    row: { open: number | null };
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
  'erase-from-runs.stepsAbout.all': {
    params: readonly [string | null, ReadonlyArray<string | null> | null];
    row: { run_id: string; name: string; input: unknown; result: unknown };
  };
  'erase-from-runs.stepsAbout.any': {
    params: readonly [string | null, ReadonlyArray<string | null> | null];
    row: { run_id: string; name: string; input: unknown; result: unknown };
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
