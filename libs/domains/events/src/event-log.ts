import { AppError } from '@quarry/error-codes';
import type { Event, JsonText } from '@quarry/dto';
import { systemCtx, type Ctx, type Mode } from '@quarry/app';
import { isoTime, ofTenant, tenantOf, type Database } from '@quarry/postgres';
import { statement } from './statements.types.js';

/** Position of a reader: after an event number of one subject, or after a position in an organisation's feed. */
export type EventPlace =
  | { subject: string; seq: string }
  /** Transaction number and position within it, both as text because they exceed the safe range of a number. */
  | { subject: null; xid: string; position: string };

/** An event in its public form, with its position in the log. */
export interface LoggedEvent {
  id: string;
  type: string;
  json: JsonText<typeof Event>;
  seq: string;
  xid: string;
  position: string;
}

/** A reader that waits for the next events. */
export interface Waiting {
  mode: Mode;
  place: EventPlace;
}

/** Maximum number of events read for one reader at a time while several readers are followed. */
export const FOLLOWED_MAX = 100;

/**
 * Reads the event log. A feed is read only up to the oldest transaction that is still open, because a transaction that
 * commits later must not get a number that a reader has already passed.
 */
export class EventLog {
  constructor(private readonly database: Database) {}

  /** @returns the position before the first event of a subject, or of the whole feed of an organisation */
  placeBefore(subject: string | null): EventPlace {
    return subject === null ? { subject, xid: '0', position: '0' } : { subject, seq: '0' };
  }

  /** @returns the position after an event. @throws AppError invalid_cursor if the event has expired or is not in this list */
  async placeBehind(ctx: Ctx, subject: string | null, eventId: string): Promise<EventPlace> {
    const row = await this.database.queryOne(ctx, FIND, [tenantOf(ctx), eventId], 'read');
    if (!row || (subject !== null && row.subject !== subject))
      throw new AppError('invalid_cursor', 'This event is no longer kept: read from the beginning.');
    return placeOf(subject, row);
  }

  /** @returns the position after the newest event of the feed, and the id of that event; null for an empty feed */
  async placeAtEnd(ctx: Ctx): Promise<{ place: EventPlace; lastId: string | null }> {
    const row = await this.database.queryOne(ctx, NEWEST, [tenantOf(ctx)], 'read');
    return { place: { subject: null, xid: row!.xid, position: '0' }, lastId: row!.last_id };
  }

  /** @returns the next events after a position. @param types the event types to return; all if omitted */
  async readAfter(
    ctx: Ctx,
    place: EventPlace,
    { limit, types = null }: { limit: number; types?: readonly string[] | null },
  ): Promise<LoggedEvent[]> {
    const wanted = types && [...types];
    return place.subject === null
      ? this.database.query(ctx, READ_FEED, [tenantOf(ctx), place.xid, place.position, wanted, limit], 'list')
      : this.database.query(
          ctx,
          READ_SUBJECT,
          [tenantOf(ctx), place.subject, place.seq, wanted, limit],
          'read',
        );
  }

  /**
   * Finds the organisations, of those given, whose readers may have something to read since an earlier call.
   * @param since `settled` of that call; null to only begin
   * @returns those organisations, and the transaction number from which the next call has to look: every transaction
   *   below it has ended, so what is not visible yet will have a number from there on
   */
  async findChanged(
    orgIds: readonly string[],
    since: string | null,
  ): Promise<{ settled: string; orgIds: string[] }> {
    const row = await this.database.queryOne(systemCtx('events'), FIND_CHANGED, [orgIds, since], 'read');
    return { settled: row!.settled, orgIds: row!.org_ids };
  }

  /** @returns the events after the positions of several readers of one organisation, each with the index of its reader */
  async readAll(
    orgId: string,
    readers: readonly Waiting[],
  ): Promise<Array<LoggedEvent & { reader: number }>> {
    const ctx = systemCtx('events', orgId);
    const indexed = readers.map(({ mode, place }, reader) => ({ reader, mode, ...place }));
    const ofSubjects = indexed.filter(({ subject }) => subject !== null);
    const ofFeeds = indexed.filter(({ subject }) => subject === null);
    const read = [];
    if (ofSubjects.length > 0)
      read.push(
        await this.database.query(
          ctx,
          READ_SUBJECTS,
          [orgId, JSON.stringify(ofSubjects), FOLLOWED_MAX],
          'list',
        ),
      );
    if (ofFeeds.length > 0)
      read.push(
        await this.database.query(ctx, READ_FEEDS, [orgId, JSON.stringify(ofFeeds), FOLLOWED_MAX], 'list'),
      );
    return read.flat();
  }
}

/** @returns the position after an event that was read */
export function placeOf(
  subject: string | null,
  { seq, xid, position }: Pick<LoggedEvent, 'seq' | 'xid' | 'position'>,
): EventPlace {
  return subject === null ? { subject, xid, position } : { subject, seq };
}

const SHOWN = `e.id, e.type, e.seq, e.xid::text AS xid, e.position, json_build_object('id', e.id, 'type', e.type,
  'timestamp', ${isoTime('e.at')}, 'subject', e.subject, 'seq', e.seq, 'data', e.data)::text AS json`;
type Shown = { xid: string; json: JsonText<typeof Event> };

/** True for events whose transaction number is below that of every open transaction. */
const IS_SETTLED = 'e.xid < pg_snapshot_xmin(pg_current_snapshot())';
const IS_BEHIND = (xid: string, position: string): string => `(e.xid, e.position) > (${xid}, ${position})`;

const FIND = statement(
  'event-log.find',
  `SELECT e.subject, e.seq, e.xid::text AS xid, e.position FROM events.events e WHERE ${ofTenant('e')} AND e.id = $2`,
).rows<{ xid: string }>();

const NEWEST = statement(
  'event-log.newest',
  `SELECT n.xid::text AS xid, (SELECT e.id FROM events.events e WHERE ${ofTenant('e')} AND e.xid < n.xid
     ORDER BY e.xid DESC, e.position DESC LIMIT 1) AS last_id
   FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xid) n`,
).rows<{ xid: string; last_id: string | null }>();

/** An event that was visible but not settled at an earlier call is found again: a feed has not shown it yet. */
const FIND_CHANGED = statement(
  'event-log.findChanged',
  'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS settled, events.find_changed($1, $2::text::xid8) AS org_ids',
).rows<{ settled: string; org_ids: string[] }>();

const READ_SUBJECT = statement(
  'event-log.readSubject',
  `SELECT ${SHOWN} FROM events.events e
   WHERE ${ofTenant('e')} AND e.subject = $2 AND e.seq > $3::bigint AND ($4::text[] IS NULL OR e.type = ANY ($4))
   ORDER BY e.seq LIMIT $5`,
).rows<Shown>();

const READ_FEED = statement(
  'event-log.readFeed',
  `SELECT ${SHOWN} FROM events.events e
   WHERE ${ofTenant('e')} AND ${IS_BEHIND('$2::text::xid8', '$3::bigint')} AND ${IS_SETTLED}
     AND ($4::text[] IS NULL OR e.type = ANY ($4))
   ORDER BY e.xid, e.position LIMIT $5`,
).rows<Shown>();

const READ_SUBJECTS = statement(
  'event-log.readSubjects',
  `SELECT r.reader, n.* FROM jsonb_to_recordset($2::jsonb) AS r (reader integer, mode text, subject text, seq bigint)
   CROSS JOIN LATERAL (SELECT ${SHOWN} FROM events.events e
     WHERE e.org_id = $1 AND e.mode = r.mode AND e.subject = r.subject AND e.seq > r.seq ORDER BY e.seq LIMIT $3) n`,
).rows<Shown & { reader: number; id: string; type: string; seq: string; position: string }>();

const READ_FEEDS = statement(
  'event-log.readFeeds',
  `SELECT r.reader, n.* FROM jsonb_to_recordset($2::jsonb) AS r (reader integer, mode text, xid text, position bigint)
   CROSS JOIN LATERAL (SELECT ${SHOWN} FROM events.events e
     WHERE e.org_id = $1 AND e.mode = r.mode AND ${IS_BEHIND('r.xid::xid8', 'r.position')} AND ${IS_SETTLED}
     ORDER BY e.xid, e.position LIMIT $3) n`,
).rows<Shown & { reader: number; id: string; type: string; seq: string; position: string }>();
