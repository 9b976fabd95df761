import { systemCtx, type RetentionRule } from '@quarry/app';
import { retentionRule, type Database } from '@quarry/postgres';
import { statement } from './statements.types.js';

/** Default number of days that a message is kept. */
export const MAIL_RETENTION_DAYS = 365;
/** Days that an answer of the test-mode sink is kept. */
export const SINK_DAYS = 30;
const ROWS_PER_TRANSACTION = 1000;
const ctx = systemCtx('retention');

/**
 * Returns the retention of outreach: messages and records of inboxes are deleted after `mailDays`, threads with their last
 * message, and answers of the sink. Contacts and suppressions are kept.
 */
export function outreachRetention(database: Database, { mailDays }: { mailDays: number }): RetentionRule[] {
  return [
    {
      what: 'messages and threads',
      removeSome: async () => {
        const gone = await database.query(ctx, DELETE_MESSAGES, [mailDays, ROWS_PER_TRANSACTION]);
        const threads = [...new Set(gone.map(({ thread_id }) => thread_id))];
        await database.query(ctx, DELETE_THREADS, [threads, mailDays]);
        return gone.length;
      },
    },
    retentionRule(database, 'what was seen of inboxes', DELETE_SEEN, [mailDays, ROWS_PER_TRANSACTION]),
    retentionRule(database, 'days of mailboxes', DELETE_DAYS, [mailDays, ROWS_PER_TRANSACTION]),
    retentionRule(database, 'answers of the sink', DELETE_SINK, [SINK_DAYS, ROWS_PER_TRANSACTION]),
  ];
}

const OLD = (column: string): string => `${column} < clock_timestamp() - make_interval(days => $1)`;

const DELETE_MESSAGES = statement(
  'outreach-retention.deleteMessages',
  `DELETE FROM outreach.messages WHERE (org_id, mode, id) IN (
     SELECT org_id, mode, id FROM outreach.messages WHERE ${OLD('ended_at')} AND token IS NULL AND due_at IS NULL
     ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING thread_id`,
);

const DELETE_THREADS = statement(
  'outreach-retention.deleteThreads',
  `DELETE FROM outreach.threads t WHERE t.id = ANY ($1::text[]) AND t.last_at < clock_timestamp() - make_interval(days => $2)
     AND (SELECT m.id FROM outreach.messages m WHERE m.org_id = t.org_id AND m.mode = t.mode AND m.thread_id = t.id LIMIT 1) IS NULL`,
);

const DELETE_SEEN = statement(
  'outreach-retention.deleteSeen',
  `DELETE FROM outreach.seen_mails WHERE (org_id, mode, mailbox_id, folder, uidvalidity, uid) IN (
     SELECT org_id, mode, mailbox_id, folder, uidvalidity, uid FROM outreach.seen_mails WHERE ${OLD('seen_at')}
     ORDER BY seen_at LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
);

const DELETE_DAYS = statement(
  'outreach-retention.deleteDays',
  `DELETE FROM outreach.sending_days WHERE (org_id, mode, owner_id, day) IN (
     SELECT org_id, mode, owner_id, day FROM outreach.sending_days WHERE day < now()::date - $1::integer
     ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
);

const DELETE_SINK = statement(
  'outreach-retention.deleteSink',
  `DELETE FROM outreach.sink_mails WHERE (org_id, mode, mailbox_id, uid) IN (
     SELECT org_id, mode, mailbox_id, uid FROM outreach.sink_mails WHERE ${OLD('created_at')}
     ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
);
