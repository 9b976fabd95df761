// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
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
  'enrichment-retention.deleteEnrichments': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
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
  'erase-from-enrichments.enrichmentsAbout.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; columns: unknown; steps: unknown; ended: boolean | null };
  };
  'erase-from-enrichments.enrichmentsAbout.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; columns: unknown; steps: unknown; ended: boolean | null };
  };
  'erase-from-enrichments.openEnrichments': {
    params: readonly [ReadonlyArray<string | null> | null, Date | string | null];
    row: { open: number | null };
  };
  'erase-from-enrichments.redactEnrichment': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
