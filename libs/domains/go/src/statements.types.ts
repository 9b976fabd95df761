// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'erase-from-go.deletePage': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { '?column?': number | null };
  };
  'erase-from-go.deleteRun': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { '?column?': number | null };
  };
  'erase-from-go.openRuns': {
    params: readonly [ReadonlyArray<string | null> | null, Date | string | null];
    row: { open: number | null };
  };
  'erase-from-go.pages': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, number | string | null];
    row: { sha256: string; text: Buffer };
  };
  'erase-from-go.runs': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, number | string | null];
    row: { id: string; ended: boolean | null; texts: unknown; steps: unknown };
  };
  'go-journal.begin': {
    params: readonly [string | null, string | null, number | null, string | null];
    row: { '?column?': number | null };
  };
  'go-journal.finish': {
    params: readonly [string | null, string | null, number | null, string | null, number | string | null];
    row: { '?column?': number | null };
  };
  'go-journal.keepPage': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, Buffer | null, number | null];
    row: Record<never, unknown>;
  };
  'go-journal.page': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { text: Buffer };
  };
  'go-journal.steps': {
    params: readonly [string | null];
    row: { position: number; input: unknown; result: unknown; cost: string; finished: boolean | null };
  };
  'go-lease.claim': {
    params: readonly [string | null, string | null, number | string | null];
    row: {
      id: string;
      org_id: string;
      mode: 'live' | 'test';
      key_id: string | null;
      request: unknown;
      hold_id: string;
      held: string;
      losses: number;
      traceparent: string | null;
      elapsed_ms: number | null;
    };
  };
  'go-lease.end': {
    params: readonly [
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
    ];
    row: { '?column?': number | null };
  };
  'go-lease.expireAll': { params: readonly []; row: Record<never, unknown> };
  'go-lease.reapLost': { params: readonly []; row: { id: string } };
  'go-lease.release': { params: readonly [string | null, string | null]; row: Record<never, unknown> };
  'go-lease.renew': {
    params: readonly [string | null, string | null, number | string | null];
    row: { '?column?': number | null };
  };
  'go-lease.signals': {
    params: readonly [string | null, string | null];
    row: { cancellation_requested: boolean };
  };
  'go-lease.takeSilent': { params: readonly [number | string | null]; row: { id: string } };
  'go-retention.deletePages': {
    params: readonly [number | string | null];
    row: { '?column?': number | null };
  };
  'go-retention.deleteRuns': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'go-run.askCancel': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
      hold_id: string;
      request: unknown;
    };
  };
  'go-run.cancelQueued': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: Record<never, unknown>;
  };
  'go-run.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'go-run.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: {
      id: string;
      status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
      stop_reason: 'complete' | 'budget' | 'time' | 'no_evidence' | 'cancelled' | 'error' | null;
      output: unknown;
      basis: unknown;
      charged: string;
      remaining: string | null;
      error: unknown;
      created_at: string | null;
      completed_at: string | null;
    };
  };
  'go-run.listQuestions': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: { id: string; prompt: string | null };
  };
  'go-run.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      id: string;
      status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
      stop_reason: 'complete' | 'budget' | 'time' | 'no_evidence' | 'cancelled' | 'error' | null;
      output: unknown;
      basis: unknown;
      charged: string;
      remaining: string | null;
      error: unknown;
      created_at: string | null;
      completed_at: string | null;
      age_ms: number | null;
    };
  };
  'go-waiters.endedAmong': { params: readonly [ReadonlyArray<string | null> | null]; row: { id: string } };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
