import type { Api } from '@quarry/sdk';
import type { Session } from '../session.js';
import { numberOf } from './run.js';
import type { QuarryCommand } from '../quarry-command.js';

interface CreateOptions {
  cron: string;
  timeZone: string;
  name?: string;
  silent?: boolean;
  maxCreditsPerRun?: string;
  maxCreditsPerMonth?: string;
  watch?: string;
}

/** Adds the commands for monitors, which run plans on a schedule and report what is new. */
export function addMonitorCommands(program: QuarryCommand): void {
  const monitors = program.command('monitors').description('Prompts on a schedule that report new rows.');
  const addOfOne = (
    name: string,
    description: string,
    act: (session: Session, id: string) => Promise<object | void>,
  ) =>
    monitors
      .command(name)
      .description(description)
      .argument('<id>', 'mon_…')
      .withSession(async (session, id: string) => {
        const answer = await act(session, id);
        if (answer) await writeMonitor(session, answer);
      });
  monitors
    .command('list')
    .description('Lists monitors.')
    .withSession(async (session) => {
      const { items } = await session.quarry.monitors.list();
      const rows = items.map(({ id, name, status, pause_reason, next_runs }) => ({
        id,
        name,
        status,
        pause_reason,
        next_run: next_runs[0] ?? null,
      }));
      await session.writeRows(rows, ['id', 'name', 'status', 'pause_reason', 'next_run']);
    });
  monitors
    .command('create')
    .description('Runs a prompt on a schedule. Known rows are neither paid for nor reported again.')
    .argument('<prompt>', 'such as "fintech companies in Berlin"')
    .requiredOption('--cron <fields>', 'minute, hour, day, month and weekday, such as "0 9 * * 1"')
    .requiredOption('--time-zone <zone>', 'time zone of the schedule, such as Europe/Berlin')
    .option('--name <name>', 'name of the monitor (default: the prompt)')
    .option('--silent', 'the first run only stores the existing rows, and neither reports nor pays')
    .option('--max-credits-per-run <credits>', 'budget per run (default: none)')
    .option('--max-credits-per-month <credits>', 'budget per month (default: none)')
    .option(
      '--watch <columns>',
      'column keys, comma-separated: a known row is reported again when one changes',
    )
    .withSession(async (session, prompt: string, options: CreateOptions) => {
      const body: Api.CreateMonitorRequest = {
        name: options.name ?? [...prompt].slice(0, 200).join(''),
        prompt,
        schedule: { cron: options.cron, time_zone: options.timeZone },
        first_run: options.silent ? 'silent' : 'deliver',
        ...(options.maxCreditsPerRun === undefined
          ? {}
          : { max_credits_per_run: numberOf(options.maxCreditsPerRun, '--max-credits-per-run') }),
        ...(options.maxCreditsPerMonth === undefined
          ? {}
          : { max_credits_per_month: numberOf(options.maxCreditsPerMonth, '--max-credits-per-month') }),
        ...(options.watch === undefined ? {} : { watch: options.watch.split(',').map((key) => key.trim()) }),
      };
      await writeMonitor(session, await session.quarry.monitors.create(body));
    });
  addOfOne('get', 'Shows one.', ({ quarry }, id) => quarry.monitors.get(id));
  addOfOne('pause', 'Pauses a monitor: no further run starts.', ({ quarry }, id) =>
    quarry.monitors.pause(id),
  );
  addOfOne('resume', 'Resumes a monitor from its next scheduled time.', ({ quarry }, id) =>
    quarry.monitors.resume(id),
  );
  addOfOne('trigger', 'Runs a monitor now.', ({ quarry }, id) => quarry.monitors.trigger(id));
  addOfOne('delete', 'Deletes a monitor; its tables stay.', ({ quarry }, id) => quarry.monitors.delete(id));
  monitors
    .command('runs')
    .description('Lists the runs of a monitor with their results, the newest first.')
    .argument('<id>', 'mon_…')
    .withSession(async (session, id: string) => {
      await session.writeRows(session.quarry.monitors.listRuns(id));
    });
  monitors
    .command('items')
    .description('Lists the rows that a monitor has reported, the earliest first.')
    .argument('<id>', 'mon_…')
    .option(
      '--since <time>',
      'only rows first seen or last changed at this time or later, such as 2026-11-27T12:00:00Z',
    )
    .withSession(async (session, id: string, options: { since?: string }) => {
      const rows = async function* () {
        for await (const { first_seen, updated_at, run_id, row } of session.quarry.monitors.listItems(
          id,
          options,
        ))
          yield { first_seen, updated_at, run_id, ...row?.values };
      };
      await session.writeRows(rows(), await columnsOfItems(session, id));
    });
}

/** Returns the columns of the items' table: a row may be removed, and does not contain the order of its values. */
export async function columnsOfItems({ quarry }: Pick<Session, 'quarry'>, id: string): Promise<string[]> {
  const columns = ['first_seen', 'updated_at', 'run_id'];
  for await (const { table_id: tableId, row } of quarry.monitors.listItems(id))
    if (row) return [...columns, ...(await quarry.tables.get(tableId)).columns.map(({ key }) => key)];
  return columns;
}

/** Prints a monitor or a run of one. The plan, which is for programs, is not shown on a screen. */
async function writeMonitor(session: Session, answer: object): Promise<void> {
  const output = session.openOutput();
  await output.writeDocument({ ...answer, ...(output.format === 'table' ? { intent: null } : {}) });
}
