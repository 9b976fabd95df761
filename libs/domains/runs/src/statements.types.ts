// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Flag, Num, Text, Texts, Time, Typed } from '@quarry/postgres';

interface StatementTypes {
  'conversation-record.past': Typed<
    [Texts, Text, Text],
    { id: Text; created_at: Text; plans: unknown; total: Num; excluded: Num; shown: Num; disqualified: Num }
  >;
  'earlier-tables.list': Typed<
    [Texts, Text, Text, Text, Text],
    { run_id: string; plans: unknown; made: unknown }
  >;
  'earlier-tables.rows': Typed<[Texts, Text, Text, Text], { rows: unknown }>;
  'erase-from-plans.delete': Typed<[Texts, Texts], { '?column?': Num }>;
  'erase-from-plans.page.all': Typed<[Texts, Time, Text, Texts], { id: string; at: Text; found: unknown }>;
  'erase-from-plans.page.any': Typed<[Texts, Time, Text, Texts], { id: string; at: Text; found: unknown }>;
  'erase-from-runs.deleteSteps': Typed<[Text, Flag, Texts], { '?column?': Num }>;
  'erase-from-runs.openRuns': Typed<[Texts, Time], { open: Num }>;
  'erase-from-runs.readPage.all': Typed<
    [Texts, Time, Text, Texts],
    { id: string; workspace_id: string; at: Text; ended: Flag; found: unknown }
  >;
  'erase-from-runs.readPage.any': Typed<
    [Texts, Time, Text, Texts],
    StatementTypes['erase-from-runs.readPage.all']['row']
  >;
  'erase-from-runs.redact': Typed<[Texts, Text, Text, Text, Text, Text, Text]>;
  'erase-from-runs.runsOfSteps.all': Typed<[Texts, Texts], { run_id: string }>;
  'erase-from-runs.runsOfSteps.any': Typed<[Texts, Texts], { run_id: string }>;
  'erase-from-runs.stepsAbout.all': Typed<
    [Text, Texts],
    { run_id: string; name: string; input: unknown; result: unknown }
  >;
  'erase-from-runs.stepsAbout.any': Typed<
    [Text, Texts],
    StatementTypes['erase-from-runs.stepsAbout.all']['row']
  >;
  'plan.find': Typed<
    [Texts, Text],
    {
      id: string;
      prompt: string;
      workspace_id: Text;
      conversation_id: Text;
      output_contract: unknown;
      planner: string;
      plans: unknown;
      understood: unknown;
      root_plan_id: Text;
      created_at: Text;
    }
  >;
  'plan.insert': Typed<[Texts, Text, Text, Text, Text, Text, Text, Text, Text, Text], { created_at: Text }>;
  'run-account.owned': Typed<[Text, Text], { owned: Num }>;
  'run-account.used': Typed<
    [Text],
    { name: Text; hold_id: Text; held: Flag; kept_id: Text; is_kept: Flag; used: Text; pages: Num }
  >;
  'run-lease.addArtifact': Typed<[Text, Text, Text, Text]>;
  'run-lease.claim': Typed<
    [Text, Text, BigNum, Text],
    {
      id: string;
      orgId: string;
      mode: 'live' | 'test';
      keyId: Text;
      workspaceId: string;
      conversationId: string;
      prompt: string;
      outputContract: unknown;
      creditsMax: Text;
      createdAt: Text;
      leaseLosses: number;
      traceparent: Text;
      monitorId: Text;
    }
  >;
  'run-lease.end': Typed<[Text, Text, Text, Text, Text, Text], { '?column?': Num }>;
  'run-lease.expireAll': Typed<[]>;
  'run-lease.findUnfinished': Typed<[Text], { batch_id: Text; table_id: Text }>;
  'run-lease.handOver': Typed<[Text, Text, Text], { '?column?': Num }>;
  'run-lease.reapLost': Typed<[Num], { id: string }>;
  'run-lease.release': Typed<[Text, Text, Flag]>;
  'run-lease.renew': Typed<[Text, Text, BigNum], { '?column?': Num }>;
  'run-lease.setRootPlan': Typed<[Text, Text, Text]>;
  'run-lease.signals': Typed<
    [Text, Text],
    { isCancelled: boolean; keyId: Text; workspaceId: string; isTableGone: Flag }
  >;
  'run-lease.takeSilent': Typed<[BigNum, Text], { id: string }>;
  'run-place.findConversation': Typed<[Texts, Text], { workspace_id: string }>;
  'run-reading.read': Typed<[Texts, Text, Text], { prompt: string; plans: unknown; tables: unknown }>;
  'run-retention.deleteConversations': Typed<[BigNum], { '?column?': Num }>;
  'run-retention.deletePlans': Typed<[Num, BigNum], { '?column?': Num }>;
  'run-retention.deleteRuns': Typed<[Texts]>;
  'run-retention.deleteSteps': Typed<[Texts]>;
  'run-retention.emptyRuns': Typed<[Num, BigNum], { id: string }>;
  'run-retention.findDueRuns': Typed<[BigNum], { id: string }>;
  'run-steps.read': Typed<
    [Texts, Text],
    { prompt: string; created_at: Text; started_at: Text; ended_at: Text; steps: unknown }
  >;
  'run-waiters.endedAmong': Typed<[Texts], { id: Text }>;
  'run.cancel': Typed<[Texts, Text], { '?column?': Num }>;
  'run.conversationOfPlan': Typed<[Texts, Text], { workspace_id: string; conversation_id: string }>;
  'run.exists': Typed<[Texts, Text], { '?column?': Num }>;
  'run.findKnown': Typed<[Texts, Text], { id: string; body_hash: string }>;
  'run.insert': Typed<[Text, Text, Text, Text, Text, Text, Text, Text, Text, Text, Text, Text, BigNum, Text]>;
  'run.insertConversation': Typed<[Texts, Text, Text]>;
  'run.list': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'run.lockPlan': Typed<[Text], { pg_advisory_xact_lock: Text }>;
  'run.output': Typed<[Texts, Text], { json: Text }>;
  'run.read': Typed<[Texts, Text, Text], { json: Text }>;
  'step-journal.begin': Typed<[Text, Text, Text, Text], { '?column?': Num }>;
  'step-journal.find': Typed<[Text, Text], { input: unknown; result: unknown; finished: Flag }>;
  'step-journal.finish': Typed<[Text, Text, Text, Text], { '?column?': Num }>;
  'step-journal.give': Typed<[Text, Text, Text, Text]>;
  'step-journal.planOfRunBefore': Typed<[Texts, Text, Text, Text], { result: unknown }>;
  'step-journal.rowsOfRunBefore': Typed<
    [Texts, Text, Text, Text],
    { run_id: string; table_id: Text; keys: Texts; row_count: Num }
  >;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
