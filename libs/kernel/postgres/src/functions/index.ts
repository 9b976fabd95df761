import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A database function, with the trigger that calls it if there is one. */
export interface SqlFunction {
  /** Schema and name. Its text is in `<schema>/<name>.sql`. */
  name: string;
  /** Statements that create or replace it. */
  text: string;
  /** SHA-256 of the text, in hex. */
  checksum: string;
}

/** Names in dependency order: a SQL body (`RETURN`, `BEGIN ATOMIC`) binds the names that it calls when it is created. */
const NAMES = [
  'credits.refuse_change',
  'credits.utc_day',
  'credits.used_in',
  'credits.room_under_caps',
  'credits.grant_credits',
  'credits.judge_holds',
  'credits.judge_expiring_holds',
  'credits.judge_expiring_hold',
  'credits.resolve_holds',
  'credits.void_expired_holds',
  'jobs.end_jobs',
  'jobs.claim_jobs',
  'jobs.settle_jobs',
  'jobs.cancel_batch',
  'jobs.find_answers',
  'identity.refuse_change',
  'identity.audit_hash',
  'identity.record_audit_event',
  'erasure.folded',
  'events.new_id',
  'events.record_event',
  'events.record_run',
  'events.record_run_step',
  'events.record_batch',
  'events.record_go_run',
  'events.record_go_step',
  'events.record_enrichment',
  'events.record_export',
  'events.record_rows',
  'events.record_credits',
  'events.record_webhook',
  'events.record_monitor',
  'events.record_enrollment',
  'events.find_changed',
  'runs.end_monitor_run',
  'runs.resume_monitors',
  'webhooks.cancel_deliveries',
] as const;

/**
 * All functions of the product's schemas, in the order in which they can be created. Grouped statements are functions if
 * each step must see what was committed while the previous step waited for a lock; a single SQL statement, which has one
 * snapshot, cannot. Locks are taken in the order jobs, expiries, accounts, batches, each in the order of ids.
 *
 * Plans of functions are cached, including those made while a table was still empty. The planner settings of some
 * functions force index lookups per row, which is right at every size.
 */
export const SQL_FUNCTIONS: readonly SqlFunction[] = NAMES.map((name) => {
  const text = readFileSync(new URL(`./${name.replace('.', '/')}.sql`, import.meta.url), 'utf8');
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
});
