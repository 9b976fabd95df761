// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Flag, Num, Text, Texts, Time, Typed } from '@quarry/postgres';

type GoRunsStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
type RunsStopReason = 'complete' | 'budget' | 'time' | 'no_evidence' | 'cancelled' | 'error';

interface StatementTypes {
  'erase-from-go.deletePage': Typed<[Texts, Text], { '?column?': Num }>;
  'erase-from-go.deleteRun': Typed<[Texts, Text], { '?column?': Num }>;
  'erase-from-go.openRuns': Typed<[Texts, Time], { open: Num }>;
  'erase-from-go.pages': Typed<[Texts, Text, BigNum], { sha256: string; text: Buffer }>;
  'erase-from-go.runs': Typed<
    [Texts, Text, BigNum],
    { id: string; ended: Flag; texts: unknown; steps: unknown }
  >;
  'go-journal.begin': Typed<[Text, Text, Num, Text], { '?column?': Num }>;
  'go-journal.finish': Typed<[Text, Text, Num, Text, BigNum], { '?column?': Num }>;
  'go-journal.keepPage': Typed<[Texts, Text, Buffer | null, Num]>;
  'go-journal.page': Typed<[Texts, Text], { text: Buffer }>;
  'go-journal.steps': Typed<
    [Text],
    { position: number; input: unknown; result: unknown; cost: string; finished: Flag }
  >;
  'go-lease.claim': Typed<
    [Text, Text, BigNum],
    {
      id: string;
      orgId: string;
      mode: 'live' | 'test';
      keyId: Text;
      request: unknown;
      holdId: string;
      held: string;
      leaseLosses: number;
      traceparent: Text;
      elapsedMs: Num;
    }
  >;
  'go-lease.end': Typed<
    [Text, Text, Text, Text, Text, Text, Text, BigNum, BigNum, Text],
    { '?column?': Num }
  >;
  'go-lease.expireAll': Typed<[]>;
  'go-lease.reapLost': Typed<[], { id: string }>;
  'go-lease.release': Typed<[Text, Text]>;
  'go-lease.renew': Typed<[Text, Text, BigNum], { '?column?': Num }>;
  'go-lease.signals': Typed<[Text, Text], { isCancelled: boolean }>;
  'go-lease.takeSilent': Typed<[BigNum], { id: string }>;
  'go-retention.deletePages': Typed<[BigNum], { '?column?': Num }>;
  'go-retention.deleteRuns': Typed<[Num, BigNum], { '?column?': Num }>;
  'go-run.askCancel': Typed<[Texts, Text], { status: GoRunsStatus; hold_id: string; request: unknown }>;
  'go-run.cancelQueued': Typed<[Texts, Text, Text, Text, BigNum]>;
  'go-run.insert': Typed<[Texts, Text, Text, Text, Text, BigNum, Text]>;
  'go-run.list': Typed<
    [Texts, Text, BigNum, BigNum],
    {
      id: string;
      status: GoRunsStatus;
      stop_reason: RunsStopReason | null;
      output: unknown;
      basis: unknown;
      charged: string;
      remaining: Text;
      error: unknown;
      created_at: Text;
      completed_at: Text;
    }
  >;
  'go-run.listQuestions': Typed<[Texts, Text, BigNum, BigNum], { id: string; prompt: Text }>;
  'go-run.read': Typed<
    [Texts, Text],
    {
      id: string;
      status: GoRunsStatus;
      stop_reason: RunsStopReason | null;
      output: unknown;
      basis: unknown;
      charged: string;
      remaining: Text;
      error: unknown;
      created_at: Text;
      completed_at: Text;
      age_ms: Num;
    }
  >;
  'go-waiters.endedAmong': Typed<[Texts], { id: string }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
