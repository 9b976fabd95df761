// Monitors: each date once, within budgets, and nothing paid for twice.
import { mutant } from './mutant.mjs';

const DATES = 'libs/domains/runs/src/monitors/monitor-dates.ts';
const ITEMS = 'libs/domains/runs/src/monitors/monitor-items.ts';
const SCHEDULE = 'libs/domains/runs/src/monitors/monitor-schedule.ts';
const ROWS = 'libs/domains/runs/src/agent/row-source.ts';
const END = 'libs/kernel/platform/src/database/functions/runs/end_monitor_run.sql';
const SPEC = 'libs/domains/runs/src/monitors/monitors.db.spec.ts';
const SCHEDULE_SPEC = 'libs/domains/runs/src/monitors/monitor-schedule.spec.ts';
const ROWS_SPEC = 'libs/domains/runs/src/agent/row-source.spec.ts';

export const MONITOR_MUTANTS = [
  mutant('monitors: a date moves on with its run', SPEC, 'is begun once, however many look for it', [
    DATES,
    'await this.database.query(tx, SET_NEXT, [tenantOf(tx), id, date.nextAt]);',
    '',
  ]),
  mutant('monitors: no two runs at a time', SPEC, 'is passed over while the run before works', [
    DATES,
    "return { status: 'overlapped' };",
    '/* begins all the same */;',
  ]),
  mutant('monitors: a broken one is put off', SPEC, 'that cannot be begun keeps no other waiting', [
    DATES,
    'await this.database.query(ctx, PUT_OFF, [tenantOf(ctx), due.id, now, RETRY_MINUTES]);',
    '',
  ]),
  mutant('monitors: what the balance covers', SPEC, 'where the balance does not cover one row', [
    DATES,
    "return left < price ? 'credits' : Math.floor(",
    'return Math.floor(',
  ]),
  mutant('monitors: three failures', SPEC, 'is paused after three failures', [
    END,
    "NEW.status = 'failed' AND m.failures >= 2",
    "NEW.status = 'failed' AND m.failures >= 3",
  ]),
  mutant('monitors: a success begins the count anew', SPEC, 'is paused after three failures', [
    END,
    "CASE NEW.status WHEN 'completed' THEN 0 WHEN",
    'CASE NEW.status WHEN',
  ]),
  mutant('monitors: a revoked key', SPEC, 'is paused when its key is revoked', [
    END,
    "w.id = m.workspace_id) THEN 'key_revoked'",
    'w.id = m.workspace_id) THEN NULL',
  ]),
  mutant('monitors: a monitor that is gone knows nothing', SPEC, 'is what its completed runs have found', [
    ITEMS,
    "if (!monitor) throw new RunFailure('agent_execution_failed', 'The monitor of this run was deleted.');",
    'if (!monitor) return null;',
  ]),
  mutant('monitors: identities of one monitor alone', SPEC, 'is what its completed runs have found', [
    ITEMS,
    'AND monitor_id = $2 AND identity = ANY',
    'AND $2::text IS NOT NULL AND identity = ANY',
  ]),
  mutant(
    'monitors: one catch-up, and only soon after its date',
    SCHEDULE_SPEC,
    'half of the time until it is over',
    [SCHEDULE, 'return { dueAt: isRecent ? lastAt : null, nextAt };', 'return { dueAt: lastAt, nextAt };'],
  ),
  mutant('monitors: an hour between two dates', SCHEDULE_SPEC, 'may not be', [
    SCHEDULE,
    'return tooClose ?',
    'return tooClose && dates.length === 0 ?',
  ]),
  mutant('monitors: offsets are no zones', SCHEDULE_SPEC, 'may not be in the zone', [
    SCHEDULE,
    '!ZONE.test(timeZone) || ',
    '',
  ]),
  mutant('monitors: what is known is left out', ROWS_SPEC, 'leave out what is known', [
    ROWS,
    'const kept = found.filter((_, i) => !knownAmong.has(i)).slice(0, limit - given);',
    'const kept = found.slice(0, limit - given);',
  ]),
];
