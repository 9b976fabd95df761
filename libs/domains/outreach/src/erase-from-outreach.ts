import { setTimeout as delay } from 'node:timers/promises';
import { newId, type Ctx } from '@quarry/app';
import {
  lookingForPerson,
  ofTenant,
  TENANT,
  TENANT_ORG,
  tenantOf,
  type Database,
  type ErasurePart,
  type SoughtPerson,
} from '@quarry/postgres';
import { EnrollmentProgress } from './enrollments/enrollment-progress.js';
import { TRY_LOCK_TENANT as TRY_LOCK_ENROLLMENTS } from './sequences/enrollment.store.js';
import { statement } from './statements.types.js';

const RETRY_MS = 100;

/**
 * Erases a person from mail: threads that name the person, their messages, drafts and approvals, the person's enrollments, and
 * answers of the sink. Enrollments of others whose rows name the person's address are stopped, and lose the data of the row. Hashes of the
 * person's addresses stay as suppressions, so that the person is never written to again.
 * @returns the numbers of enrollments and threads
 */
export async function eraseFromOutreach(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
): Promise<{ contacts: number; threads: number }> {
  const tenant = tenantOf(ctx);
  await waitForEnrollment(database, ctx);
  const found = async (what: keyof typeof ABOUT): Promise<string[]> => {
    const rows = await database.query(ctx, ABOUT[what][person.sought], [tenant, person.patterns]);
    return rows.filter(({ texts }) => person.isIn(...texts)).map(({ id }) => id);
  };
  const named = await found('enrollments');
  const threads = await found('threads');
  const sink = await found('sink');
  const suppressions = await found('suppressions');
  const approvals = await found('approvals');
  const progress = new EnrollmentProgress(database);
  return database.transaction(ctx, async (tx) => {
    const enrollments = await database.query(tx, NAMED, [tenant, named]);
    const isOwn = ({ email }: { email: string }): boolean => person.kind !== 'email' || person.isIn(email);
    for (const { email, sequence_id: sequenceId } of enrollments)
      await progress.endEnrollments(tx, { kind: 'address', value: email, sequenceId }, 'stopped', 'erased');
    const own = enrollments.filter(isOwn);
    for (const value of new Set(own.map(({ email }) => email)))
      await database.query(tx, KEEP_HASH, [tenant, newId('sup'), value]);
    const ids = (of: typeof enrollments): string[] => of.map(({ id }) => id);
    const others = ids(enrollments.filter((each) => !isOwn(each)));
    const params = [tenant, ids(own), threads, sink, suppressions, others, approvals] as const;
    const gone = await database.query(tx, ERASE, params);
    return { contacts: enrollments.length, threads: gone.length };
  });
}

/**
 * Waits for an enrollment in progress: it may have read rows that were erased meanwhile, and its contacts are visible only after
 * its end. Polls, because many contacts take longer than a lock may be waited for.
 */
async function waitForEnrollment(database: Database, ctx: Ctx): Promise<void> {
  while (!(await database.queryOne(ctx, TRY_LOCK_ENROLLMENTS, [tenantOf(ctx)]))?.is_free)
    await delay(RETRY_MS);
}

const about = (what: string, columns: string, from: string, ...texts: string[]) =>
  lookingForPerson((by, condition) =>
    statement(
      `erase-from-outreach.${what}.${by}` as 'erase-from-outreach.threads.any',
      `SELECT ${columns}, ARRAY[${texts.join(', ')}] AS texts FROM ${from}
       WHERE ${ofTenant('t')} AND ${condition(`concat_ws(' ', ${texts.join(', ')})`, '$2')}`,
    ).rows<{ id: string; texts: string[] }>(),
  );

const ABOUT = {
  enrollments: about('enrollments', 't.id', 'outreach.enrollments t', 't.email', 't.variables::text'),
  threads: about(
    'threads',
    't.id',
    'outreach.threads t',
    't.contact_email',
    't.contact_name',
    't.subject',
    't.snippet',
    `(SELECT string_agg(concat_ws(' ', m.from_address, m.to_address, m.subject, m.body_text, m.quoted_text), ' ')
      FROM outreach.messages m WHERE m.org_id = t.org_id AND m.mode = t.mode AND m.thread_id = t.id)`,
  ),
  sink: about('sink', 't.uid::text AS id', 'outreach.sink_mails t', 't.raw'),
  suppressions: about(
    'suppressions',
    't.id',
    'outreach.suppressions t',
    `CASE t.kind WHEN 'address' THEN t.value END`,
  ),
  // Those of replies outlive the thread.
  approvals: about(
    'approvals',
    't.id',
    'outreach.approvals t',
    `CASE t.kind WHEN 'draft' THEN t.summary END`,
  ),
};

/** Ordered, so that two erasures cannot deadlock. */
const NAMED = statement(
  'erase-from-outreach.named',
  `SELECT t.id, t.email, t.sequence_id FROM outreach.enrollments t WHERE ${ofTenant('t')} AND t.id = ANY ($2::text[])
   ORDER BY t.sequence_id, t.id`,
);

const KEEP_HASH = statement(
  'erase-from-outreach.keepHash',
  `INSERT INTO outreach.suppressions (org_id, mode, id, kind, value, hash, reason)
   VALUES (${TENANT}, $2, 'address', NULL, outreach.suppression_hash(${TENANT_ORG}, $3), 'manual')
   ON CONFLICT (org_id, mode, kind, hash) DO NOTHING`,
);

const ERASE = statement(
  'erase-from-outreach.erase',
  `
  WITH enrollments AS (DELETE FROM outreach.enrollments t WHERE ${ofTenant('t')} AND t.id = ANY ($2::text[])),
  others AS (UPDATE outreach.enrollments t SET variables = '{}' WHERE ${ofTenant('t')} AND t.id = ANY ($6::text[])),
  sink AS (DELETE FROM outreach.sink_mails t WHERE ${ofTenant('t')} AND t.uid::text = ANY ($4::text[])),
  suppressions AS (UPDATE outreach.suppressions t SET value = NULL WHERE ${ofTenant('t')} AND t.id = ANY ($5::text[])),
  threads AS (
    DELETE FROM outreach.threads t WHERE ${ofTenant('t')} AND (t.id = ANY ($3::text[]) OR t.enrollment_id = ANY ($2::text[]))
    RETURNING t.id),
  approvals AS (
    DELETE FROM outreach.approvals t WHERE ${ofTenant('t')} AND (t.id = ANY ($7::text[]) OR t.draft_id IN (
      SELECT d.id FROM outreach.drafts d JOIN threads ON threads.id = d.thread_id WHERE ${ofTenant('d')})))
  SELECT id FROM threads`,
);

/** Erases a person from mail. */
export const outreachErasure: ErasurePart<'contacts' | 'threads'> = {
  erase: eraseFromOutreach,
  openWork: [],
};
