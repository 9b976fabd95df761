import { z } from 'zod';
import { Count, Credits, cursorPage, Id, Path, defineResource, Timestamp } from './resource.js';
import { Row } from './tables.resources.js';

/** One date of a monitor: what came of it. */
export const MonitorRun = defineResource('MonitorRun', {
  due_at: Timestamp.describe('The date that it is for; with a manual run when that was asked for.'),
  trigger: z.enum(['schedule', 'manual']),
  status: z
    .enum(['working', 'completed', 'failed', 'cancelled', 'overlapped', 'skipped'])
    .describe('Overlapped: the run before still worked. Skipped: nothing ran, see the reason.'),
  reason: z.enum(['budget', 'credits', 'workspace_archived']).nullable().describe('Why it was skipped.'),
  run_id: Id('run', 'the run').nullable(),
  is_silent: z.boolean().describe('It kept what is there, and reported and paid for nothing.'),
  rows_max: Count.nullable().describe(
    'Rows that budgets and balance cover, where that is fewer than the plan has; the rest comes with a later date.',
  ),
  new: Count.describe('Rows that were not known before.'),
  updated: Count.describe(
    'Known rows whose watched columns have changed: they are reported again, for nothing.',
  ),
  known: Count.describe('Rows that were left out because they are known.'),
  credits: Credits.describe('What it has cost.'),
  ended_at: Timestamp.nullable(),
});
export const MonitorRunPage = cursorPage('MonitorRunPage', MonitorRun);

/** A plan on a schedule, which reports what is new. */
export const Monitor = defineResource('Monitor', {
  id: Id('mon', 'the monitor'),
  name: z.string(),
  workspace_id: Id('ws', 'the workspace in which its runs make their tables'),
  status: z.enum(['active', 'paused']),
  pause_reason: z
    .enum(['requested', 'budget', 'credits', 'failures', 'key_revoked', 'workspace_archived'])
    .nullable()
    .describe(
      'Why it is paused: by request, because its budget or the balance does not cover one row, after three failures, because its key was revoked, or its workspace archived.',
    ),
  prompt: z.string(),
  intent: z
    .record(z.string(), z.unknown())
    .describe('What the prompt was read as when the monitor was made. It never changes.'),
  schedule: z.strictObject({ cron: z.string(), time_zone: z.string() }),
  next_runs: z.array(Timestamp).describe('The next five dates; none while it is paused.'),
  first_run: z.enum(['deliver', 'silent']),
  max_credits_per_run: Credits.nullable(),
  max_credits_per_month: Credits.nullable(),
  watch: z
    .array(z.string())
    .nullable()
    .describe('Keys of columns: a known row is reported again where one of them has changed.'),
  last_run: MonitorRun.nullable(),
  estimate: z.strictObject({
    rows: Count.describe('Rows of a run at most.'),
    credits_min: Credits,
    credits_max: Credits.describe('What a run can cost at most, its budget not counted.'),
  }),
  links: z.strictObject({ self: Path, runs: Path, items: Path }),
  created_at: Timestamp,
});
export const MonitorList = defineResource('MonitorList', { items: z.array(Monitor) });

/** Something that a monitor has reported. */
export const MonitorItem = defineResource('MonitorItem', {
  identity: z.string().describe('Stands for whom or what it is, and says nothing about them.'),
  first_seen: Timestamp,
  updated_at: Timestamp.nullable().describe('When a run has last found a watched column changed.'),
  run_id: Id('run', 'the run that has found it, or its last change'),
  table_id: Id('tbl', 'its table'),
  row_id: Id('row', 'its row'),
  row: Row.pick({ id: true, values: true })
    .nullable()
    .describe('The row as it is now; null once it is deleted.'),
});
export const MonitorItemPage = cursorPage('MonitorItemPage', MonitorItem);
