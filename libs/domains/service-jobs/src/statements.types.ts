// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'batch-json.listJobs.any.ofAll': {
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
  'batch-json.listJobs.any.ofBatch': {
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
  'batch-json.listJobs.cancelled.ofAll': {
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
  'batch-json.listJobs.cancelled.ofBatch': {
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
  'batch-json.listJobs.completed.ofAll': {
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
  'batch-json.listJobs.completed.ofBatch': {
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
  'batch-json.listJobs.failed.ofAll': {
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
  'batch-json.listJobs.failed.ofBatch': {
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
  'batch-json.listJobs.queued.ofAll': {
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
  'batch-json.listJobs.queued.ofBatch': {
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
  'batch-json.listJobs.running.ofAll': {
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
  'batch-json.listJobs.running.ofBatch': {
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
  'batch-json.read': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { done: boolean | null; revision: number; json: string | null };
  };
  'batch-json.readState': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { done: boolean | null; revision: number };
  };
  'batch.cancel': {
    params: readonly [string | null, string | null, string | null];
    row: { cancel_batch: string | null };
  };
  'batch.endedAmong': { params: readonly [ReadonlyArray<string | null> | null]; row: { id: string } };
  'batch.endsOf': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { job_id: string; has_ended: boolean | null; result: unknown; error: unknown; state: string | null };
  };
  'batch.findKnown': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { id: string; body_hash: string | null };
  };
  'batch.readTrail': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { json: string | null };
  };
  'delivery-reconciler.takeSilent': {
    params: readonly [string | null, number | string | null, number | string | null, string | null];
    row: { id: string; was_leased: boolean | null };
  };
  'erase-from-lines.emptyLines': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string };
  };
  'erase-from-lines.openJobs': {
    params: readonly [ReadonlyArray<string | null> | null, Date | string | null];
    row: { open: number | null };
  };
  'erase-from-lines.readPage.all': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string; at: string | null; found: unknown };
  };
  'erase-from-lines.readPage.any': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string; at: string | null; found: unknown };
  };
  'job-lease.claim': {
    params: readonly [string | null, number | null, number | null, number | null];
    row: {
      id: string | null;
      token: string | null;
      org_id: string | null;
      mode: string | null;
      service: string | null;
      input: unknown;
      attempt: number | null;
      price: string | null;
      traceparent: string | null;
    };
  };
  'job-lease.expireAll': { params: readonly []; row: Record<never, unknown> };
  'job-lease.ownersOf': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { id: string; org_id: string };
  };
  'job-lease.readVendorJob': { params: readonly [string | null]; row: { vendor_job: string | null } };
  'job-lease.release': { params: readonly [string | null]; row: Record<never, unknown> };
  'job-lease.renew': {
    params: readonly [string | null, number | string | null];
    row: { token: string | null };
  };
  'job-lease.saveVendorJob': {
    params: readonly [string | null, string | null, string | null];
    row: { '?column?': number | null };
  };
  'job-lease.settle': { params: readonly [string | null]; row: { id: string | null } };
  'job-lease.standing': { params: readonly [string | null]; row: { token: string | null } };
  'job-lease.start': { params: readonly [string | null]; row: { token: string | null } };
  'job-lease.waitBriefly': { params: readonly []; row: Record<never, unknown> };
  'line-matcher.findAnswers': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      number | null,
      boolean | null,
    ];
    row: {
      id: string | null;
      state: string | null;
      share_key: string | null;
      reuse_key: string | null;
      found: boolean | null;
      deep: boolean | null;
    };
  };
  'line-matcher.insertBatch': {
    params: readonly [
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | null,
      number | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { id: string };
  };
  'retention.deleteBatches': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: Record<never, unknown>;
  };
  'retention.deleteJobs': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: Record<never, unknown>;
  };
  'retention.deleteLines': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: Record<never, unknown>;
  };
  'retention.emptyLines': { params: readonly [number | null, number | string | null]; row: { id: string } };
  'retention.findEndedBatches': {
    params: readonly [number | null, number | string | null];
    row: { id: string };
  };
  'retention.handOverJobs': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: Record<never, unknown>;
  };
  'verified-emails.find': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { id: string; email: string | null };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
