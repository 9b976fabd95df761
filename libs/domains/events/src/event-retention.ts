import type { RetentionRule } from '@quarry/app';
import { retentionRule, type Database } from '@quarry/postgres';
import { statement } from './statements.types.js';

/** Retention of an event, in days. Source: docs/events.md. */
export const EVENT_DAYS = 30;
const EVENTS_PER_TRANSACTION = 1000;

/** Returns the retention rules for events: events expire after 30 days, and a subject's counter with its last event. */
export function eventRetention(database: Database): RetentionRule[] {
  return [
    retentionRule(database, 'events', DELETE_EVENTS, [EVENT_DAYS, EVENTS_PER_TRANSACTION]),
    retentionRule(database, 'counters of events', DELETE_SUBJECTS, [EVENT_DAYS, EVENTS_PER_TRANSACTION]),
  ];
}

const DELETE_EVENTS = statement(
  'event-retention.deleteEvents',
  `
  DELETE FROM events.events WHERE id IN (
    SELECT id FROM events.events WHERE at < clock_timestamp() - make_interval(days => $1)
    ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`,
);

/** Deletes a counter only when no event is left, so that no number is used twice. */
const DELETE_SUBJECTS = statement(
  'event-retention.deleteSubjects',
  `
  DELETE FROM events.subjects WHERE (org_id, mode, subject) IN (
    SELECT s.org_id, s.mode, s.subject FROM events.subjects s WHERE s.last_at < clock_timestamp() - make_interval(days => $1)
      AND NOT EXISTS (
        SELECT FROM events.events e WHERE e.org_id = s.org_id AND e.mode = s.mode AND e.subject = s.subject)
    ORDER BY s.last_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`,
);
