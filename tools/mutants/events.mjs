// The log of events: what its readers must not pass over, and whose it is.
import { mutant } from './mutant.mjs';

const LOG = 'libs/domains/events/src/event-log.ts';
const SPEC = 'libs/domains/events/src/event-log.db.spec.ts';
const STREAMS = 'libs/edge/http/src/events/event-streams.ts';
const ROUTES = 'libs/edge/http/src/http/controllers/events.controller.ts';
const OVER_HTTP = 'libs/edge/http/src/events/event-streams.db.spec.ts';
const BATCH = 'libs/kernel/platform/src/database/functions/events/record_batch.sql';

export const EVENT_MUTANTS = [
  mutant('events: the feed waits for open transactions', SPEC, 'holds the feed back while', [
    LOG,
    "const IS_SETTLED = 'e.xid < pg_snapshot_xmin(pg_current_snapshot())';",
    "const IS_SETTLED = 'e.xid IS NOT NULL';",
  ]),
  mutant('events: the tenant of a place', SPEC, 'shows no event to another organisation', [
    LOG,
    "WHERE ${ofTenant('e')} AND e.id = $2`",
    'WHERE $1::text[] IS NOT NULL AND e.id = $2`',
  ]),
  mutant('events: one progress a second', SPEC, 'says once a second at most', [
    BATCH,
    "CASE WHEN NOT v_is_completed THEN interval '1 second' END",
    'NULL::interval',
  ]),
  mutant('events: the places of a key', OVER_HTTP, 'are refused to one stream too many', [
    STREAMS,
    'ofKey.length >= this.limits.ofKey ||',
    '',
  ]),
  mutant('events: a revoked key', OVER_HTTP, 'end with the key', [
    STREAMS,
    'if (!admitted.includes(stream.owner.id)) endStream(stream);',
    'if (admitted.length > ids.size) endStream(stream);',
  ]),
  mutant('events: no stream of what has ended', OVER_HTTP, 'and a reconnect behind it with 204', [
    ROUTES,
    'if (hasEnded && (await',
    'if (!hasEnded && subject === undefined && (await',
  ]),
];
