// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Flag, Num, Text, Texts, Time, Typed } from '@quarry/postgres';

interface StatementTypes {
  'batch-json.listJobs.any.ofAll': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.any.ofBatch': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.cancelled.ofAll': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.cancelled.ofBatch': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.completed.ofAll': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.completed.ofBatch': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.failed.ofAll': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.failed.ofBatch': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.queued.ofAll': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.queued.ofBatch': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.running.ofAll': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.listJobs.running.ofBatch': Typed<[Texts, Text, Text, Text, BigNum, BigNum], { json: Text }>;
  'batch-json.read': Typed<[Texts, Text, Texts], { done: Flag; revision: number; json: Text }>;
  'batch-json.readState': Typed<[Texts, Text], { done: Flag; revision: number }>;
  'batch.cancel': Typed<[Text, Text, Text], { cancel_batch: Text }>;
  'batch.endedAmong': Typed<[Texts], { id: string }>;
  'batch.endsOf': Typed<
    [Texts, Text],
    { job_id: string; has_ended: Flag; result: unknown; error: unknown; state: Text }
  >;
  'batch.findKnown': Typed<[Texts, Text, Text], { id: string; body_hash: Text }>;
  'batch.readTrail': Typed<[Texts, Text], { json: Text }>;
  'delivery-reconciler.takeSilent': Typed<[Text, BigNum, BigNum, Text], { id: string; was_leased: Flag }>;
  'erase-from-lines.emptyLines': Typed<[Texts, Texts], { id: string }>;
  'erase-from-lines.openJobs': Typed<[Texts, Time], { open: Num }>;
  'erase-from-lines.readPage.all': Typed<
    [Texts, Time, Text, Texts],
    { id: string; at: Text; found: unknown }
  >;
  'erase-from-lines.readPage.any': Typed<
    [Texts, Time, Text, Texts],
    { id: string; at: Text; found: unknown }
  >;
  'job-lease.claim': Typed<
    [Text, Num, Num, Num],
    {
      id: Text;
      token: Text;
      org_id: Text;
      mode: Text;
      service: Text;
      input: unknown;
      attempt: Num;
      price: Text;
      traceparent: Text;
    }
  >;
  'job-lease.expireAll': Typed<[]>;
  'job-lease.ownersOf': Typed<[Texts], { id: string; org_id: string }>;
  'job-lease.readVendorJob': Typed<[Text], { vendor_job: Text }>;
  'job-lease.release': Typed<[Text]>;
  'job-lease.renew': Typed<[Text, BigNum], { token: Text }>;
  'job-lease.saveVendorJob': Typed<[Text, Text, Text], { '?column?': Num }>;
  'job-lease.settle': Typed<[Text], { id: Text }>;
  'job-lease.standing': Typed<[Text], { token: Text }>;
  'job-lease.start': Typed<[Text], { token: Text }>;
  'job-lease.waitBriefly': Typed<[]>;
  'line-matcher.findAnswers': Typed<
    [Texts, Text, Texts, Texts, Num, Flag],
    { id: Text; state: Text; share_key: Text; reuse_key: Text; found: Flag; deep: Flag }
  >;
  'line-matcher.insertBatch': Typed<
    [Text, Text, Text, Text, Text, Text, Text, Text, Num, Num, Text, Text, Text],
    { id: string }
  >;
  'retention.deleteBatches': Typed<[Texts]>;
  'retention.deleteJobs': Typed<[Texts]>;
  'retention.deleteLines': Typed<[Texts]>;
  'retention.emptyLines': Typed<[Num, BigNum], { id: string }>;
  'retention.findEndedBatches': Typed<[Num, BigNum], { id: string }>;
  'retention.handOverJobs': Typed<[Texts]>;
  'verified-emails.find': Typed<[Texts, Texts], { id: string; email: Text }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
