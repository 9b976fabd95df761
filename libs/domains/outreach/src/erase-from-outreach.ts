import type { Ctx } from '@quarry/app';
import {
  lookingForPerson,
  ofTenant,
  tenantOf,
  type Database,
  type ErasurePart,
  type SoughtPerson,
} from '@quarry/postgres';
import { statement } from './statements.types.js';

/**
 * Erases a person from mail: threads with the person, their messages and drafts, enrollments, and what the sink has answered. Of a
 * suppression the hash stays, so that the person is not written to again.
 * @returns how many enrollments and threads
 */
export async function eraseFromOutreach(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
): Promise<{ contacts: number; threads: number }> {
  const tenant = tenantOf(ctx);
  const found = async (what: keyof typeof ABOUT): Promise<string[]> => {
    const rows = await database.query(ctx, ABOUT[what][person.sought], [tenant, person.patterns]);
    return rows.filter(({ texts }) => person.isIn(...texts)).map(({ id }) => id);
  };
  const enrollments = await found('enrollments');
  const threads = await found('threads');
  const sink = await found('sink');
  const suppressions = await found('suppressions');
  const params = [tenant, enrollments, threads, sink, suppressions] as const;
  await database.transaction(ctx, (tx) => database.query(tx, ERASE, params));
  return { contacts: enrollments.length, threads: threads.length };
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
};

const ERASE = statement(
  'erase-from-outreach.erase',
  `
  WITH enrollments AS (DELETE FROM outreach.enrollments t WHERE ${ofTenant('t')} AND t.id = ANY ($2::text[])),
  threads AS (
    DELETE FROM outreach.threads t WHERE ${ofTenant('t')} AND (t.id = ANY ($3::text[]) OR t.enrollment_id = ANY ($2::text[]))),
  sink AS (DELETE FROM outreach.sink_mails t WHERE ${ofTenant('t')} AND t.uid::text = ANY ($4::text[]))
  UPDATE outreach.suppressions t SET value = NULL WHERE ${ofTenant('t')} AND t.id = ANY ($5::text[])`,
);

/** Erases a person from mail. */
export const outreachErasure: ErasurePart<'contacts' | 'threads'> = {
  erase: eraseFromOutreach,
  openWork: [],
};
