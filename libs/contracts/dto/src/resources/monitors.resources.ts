import { z } from 'zod';
import { Count, Credits, cursorPage, Id, Path, defineResource, Timestamp } from './resource.js';
import { Row } from './tables.resources.js';

/** Scheduled date of a monitor and its result. */
export const MonitorRun = defineResource('MonitorRun', {
  due_at: Timestamp.describe('The scheduled time; of a manual run, when it was requested.'),
  trigger: z.enum(['schedule', 'manual']),
  status: z
    .enum(['working', 'completed', 'failed', 'cancelled', 'overlapped', 'skipped'])
    .describe('Overlapped: the previous run was still working. Skipped: nothing ran, see the reason.'),
  reason: z.enum(['budget', 'credits', 'workspace_archived']).nullable().describe('Why it was skipped.'),
  run_id: Id('run', 'the run').nullable(),
  is_silent: z
    .boolean()
    .describe('True when it only stored the existing rows, and reported and paid for nothing.'),
  rows_max: Count.nullable().describe(
    'Rows that budgets and balance cover, where that is fewer than the plan has; a later run does the rest.',
  ),
  new: Count.describe('New rows.'),
  updated: Count.describe(
    'Known rows whose watched columns have changed; they are reported again, free of charge.',
  ),
  known: Count.describe('Known rows that were left out.'),
  credits: Credits.describe('What it has cost.'),
  ended_at: Timestamp.nullable(),
});
export const MonitorRunPage = cursorPage('MonitorRunPage', MonitorRun);

/** Plan on a schedule, which reports new results. */
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
    .describe('How the prompt was read when the monitor was created. It never changes.'),
  schedule: z.strictObject({ cron: z.string(), time_zone: z.string() }),
  next_runs: z.array(Timestamp).describe('The next five scheduled times; empty while it is paused.'),
  first_run: z.enum(['deliver', 'silent']),
  max_credits_per_run: Credits.nullable(),
  max_credits_per_month: Credits.nullable(),
  watch: z
    .array(z.string())
    .nullable()
    .describe('Keys of columns; a known row is reported again when one of them changes.'),
  last_run: MonitorRun.nullable(),
  estimate: z.strictObject({
    rows: Count.describe('Maximum number of rows of a run.'),
    credits_min: Credits,
    credits_max: Credits.describe('Maximum cost of a run, apart from its budget.'),
  }),
  links: z.strictObject({ self: Path, runs: Path, items: Path }),
  created_at: Timestamp,
});
export const MonitorList = defineResource('MonitorList', { items: z.array(Monitor) });

/** Item reported by a monitor. */
export const MonitorItem = defineResource('MonitorItem', {
  identity: z.string().describe('Opaque key of the company or person.'),
  first_seen: Timestamp,
  updated_at: Timestamp.nullable().describe('When a run last found a change in a watched column.'),
  run_id: Id('run', 'the run that found it, or its last change'),
  table_id: Id('tbl', 'its table'),
  row_id: Id('row', 'its row'),
  row: Row.pick({ id: true, values: true })
    .nullable()
    .describe('The row as it is now; null once it is deleted.'),
});
export const MonitorItemPage = cursorPage('MonitorItemPage', MonitorItem);
