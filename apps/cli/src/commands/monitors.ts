import type { Api } from '@quarry/sdk';
import type { Command } from 'commander';
import type { OpenSession } from '../program.js';
import type { Session } from '../session.js';
import { numberOf } from './run.js';

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
export function addMonitorCommands(program: Command, open: OpenSession): void {
  const monitors = program.command('monitors').description('Prompts on a schedule that report what is new.');
  const addOfOne = (
    name: string,
    description: string,
    act: (session: Session, id: string) => Promise<object | void>,
  ) =>
    monitors
      .command(name)
      .description(description)
      .argument('<id>', 'mon_…')
      .action(async (id: string, _options: object, command: Command) => {
        const session = open(command);
        const answer = await act(session, id);
        if (answer) await writeMonitor(session, answer);
      });
  monitors
    .command('list')
    .description('Lists them.')
    .action(async (_options: object, command: Command) => {
      const session = open(command);
      const { items } = await session.quarry.monitors.list();
      const rows = items.map(({ id, name, status, pause_reason, next_runs }) => ({
        id,
        name,
        status,
        pause_reason,
        next_run: next_runs[0] ?? null,
      }));
      await session.openOutput().writeRows(rows, ['id', 'name', 'status', 'pause_reason', 'next_run']);
    });
  monitors
    .command('create')
    .description('Runs a prompt on a schedule; what was found before is neither paid for nor reported again.')
    .argument('<prompt>', 'such as "fintech companies in Berlin"')
    .requiredOption('--cron <fields>', 'minute, hour, day, month and weekday, such as "0 9 * * 1"')
    .requiredOption('--time-zone <zone>', 'in which the schedule is read, such as Europe/Berlin')
    .option('--name <name>', 'the prompt when left out')
    .option('--silent', 'the first run keeps what is there, and neither reports nor pays')
    .option('--max-credits-per-run <credits>', 'budget of a run; none where it is left out')
    .option('--max-credits-per-month <credits>', 'budget of a month; none where it is left out')
    .option(
      '--watch <columns>',
      'keys of columns, separated by commas: a known row is reported again when one has changed',
    )
    .action(async (prompt: string, options: CreateOptions, command: Command) => {
      const session = open(command);
      const body: Api.CreateMonitorRequest = {
        name: options.name ?? prompt.slice(0, 200),
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
  addOfOne('pause', 'Begins no further run of one.', ({ quarry }, id) => quarry.monitors.pause(id));
  addOfOne('resume', 'Lets one go on from its next date.', ({ quarry }, id) => quarry.monitors.resume(id));
  addOfOne('trigger', 'Runs one now.', ({ quarry }, id) => quarry.monitors.trigger(id));
  addOfOne('delete', 'Removes one; its tables stay.', ({ quarry }, id) => quarry.monitors.delete(id));
  monitors
    .command('runs')
    .description('Lists the runs of one and what came of each, the newest first.')
    .argument('<id>', 'mon_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = open(command);
      await session.openOutput().writeRows(session.quarry.monitors.listRuns(id));
    });
  monitors
    .command('items')
    .description('Lists what one has reported over all of its runs, the earliest first.')
    .argument('<id>', 'mon_…')
    .option(
      '--since <time>',
      'first seen, or changed last, at this time or later, such as 2026-11-27T12:00:00Z',
    )
    .action(async (id: string, options: { since?: string }, command: Command) => {
      const session = open(command);
      const rows = async function* () {
        for await (const { first_seen, updated_at, run_id, row } of session.quarry.monitors.listItems(
          id,
          options,
        ))
          yield { first_seen, updated_at, run_id, ...row?.values };
      };
      await session.openOutput().writeRows(rows(), await columnsOfItems(session, id));
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
