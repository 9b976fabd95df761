import type { Api } from '@quarry/sdk';
import { EXIT, UsageError } from '../exit-codes.js';
import { readJson } from '../files.js';
import { formatCount } from '../screen.js';
import type { Session } from '../session.js';
import type { QuarryCommand } from '../quarry-command.js';

/** Credits above which the user is asked, the same limit as for agents over MCP. */
const CREDITS_UNASKED = 5;
const WAIT_SECONDS = 2;

interface RunOptions {
  maxCredits?: string;
  schema?: string;
  yes?: boolean;
  follow: boolean;
}

/** Adds the commands for prompts: their plans, prices and tables. */
export function addRunCommands(program: QuarryCommand): void {
  const run = program.command('run').description('Creates tables from prompts.');
  run
    .command('prompt', { isDefault: true })
    .description('Creates a table from a prompt.')
    .argument('<prompt>', 'such as "20 fintech companies in London with work e-mails of their CFOs"')
    .option('--max-credits <n>', 'maximum cost (default: you are asked about a plan above 5 credits)')
    .option('--schema <file>', 'file with the JSON Schema of the output')
    .option('-y, --yes', 'accept the price of the plan without asking')
    .option('--no-follow', 'start the run and print its id')
    .withSession(async (session, prompt: string, options: RunOptions) => {
      const { quarry } = session;
      const output = options.schema === undefined ? {} : { output: { schema: readJson(options.schema) } };
      const maxCredits =
        options.maxCredits === undefined ? undefined : numberOf(options.maxCredits, '--max-credits');
      const plan = await quarry.plans.create({ prompt, ...output } as Api.CreatePlanRequest);
      tellPlan(session, plan);
      const { credits_max: price } = plan.estimate;
      if (maxCredits === undefined && !options.yes && price > CREDITS_UNASKED) {
        const isWanted = await session.confirm(
          `It costs up to ${formatCount(price, 'credit')}. Run it?`,
          '--yes or --max-credits',
        );
        if (!isWanted) throw new UsageError('Nothing was run.', EXIT.interrupted);
      }
      const { id } = await quarry.plans.run(plan.id, {}, maxCredits === undefined ? {} : { maxCredits });
      if (!options.follow) return session.writeDocument({ id });
      await followRun(session, id);
    });
  run
    .command('follow')
    .description('Follows a run to its end, and prints its table.')
    .argument('<id>', 'run_…')
    .withSession((session, id: string) => followRun(session, id));
  run
    .command('get')
    .description('Shows a run.')
    .argument('<id>', 'run_…')
    .withSession(async (session, id: string) => {
      await session.writeDocument(await session.quarry.runs.get(id));
    });
  run
    .command('list')
    .description('Lists runs, the newest first.')
    .option('--limit <n>', 'how many', '20')
    .withSession(async (session, { limit }: { limit: string }) => {
      const { items } = await session.quarry.runs.list({ limit: numberOf(limit, '--limit') });
      const rows = session.options.json
        ? items
        : items.map(({ id, status, message }) => ({ id, status, message }));
      await session.writeRows(rows, ['id', 'status', 'message']);
    });
  run
    .command('cancel')
    .description('Cancels a run. Rows found so far stay.')
    .argument('<id>', 'run_…')
    .withSession(async (session, id: string) => {
      await session.writeDocument(await session.quarry.runs.cancel(id));
    });
}

function tellPlan(session: Session, { understood, not_understood: missed, notes, estimate }: Api.Plan): void {
  for (const { fragment, reading } of understood) session.say(`  ${fragment} → ${reading}`);
  for (const fragment of missed) session.say(`! not understood: ${fragment}`);
  for (const note of notes) session.say(`  ${note}`);
  const { rows, credits_min: min, credits_max: max } = estimate;
  session.say(
    `  about ${formatCount(rows, 'row')} for ${min === max ? '' : `${min} to `}${formatCount(max, 'credit')}`,
  );
}

/** Shows the steps of a run until it has ended. */
async function waitForRun(session: Session, id: string): Promise<Api.Run> {
  const { quarry } = session;
  const detach = new AbortController();
  session.watchInterrupt(() => {
    detach.abort();
    return `The run goes on. Follow it with “quarry run follow ${id}”, cancel it with “quarry run cancel ${id}”.`;
  });
  let run = await quarry.runs.get(id, { signal: detach.signal });
  while (['queued', 'running', 'recovering'].includes(run.status)) {
    const { items } = await quarry.runs.getSteps(id, { signal: detach.signal });
    const step = items.findLast(({ status }) => status === 'running') ?? items.at(-1);
    session.showProgress(step ? `${step.title} …` : `${run.status} …`);
    run = await quarry.runs.get(id, { waitSeconds: WAIT_SECONDS, signal: detach.signal });
  }
  return run;
}

async function followRun(session: Session, id: string): Promise<void> {
  const run = await waitForRun(session, id);
  if (run.message !== run.error?.message) session.say(run.message || run.status);
  if (run.status !== 'completed') {
    if (run.error) session.say(`${run.error.code}: ${run.error.message}`);
    process.exitCode = EXIT.failed;
  }
  const [table] = run.artifacts;
  if (run.status === 'completed') await tellNothing(session, run);
  const rows = table ? session.quarry.tables.listRows(table.id, { limit: 1000 }) : [];
  if (session.options.json && !session.options.output) {
    for await (const row of rows) tellSpent(row);
    return session.writeDocument(run);
  }
  if (table) await writeTable(session, table.id, tellSpent);
}

/** Sets the exit code for a run that is done in part. */
function tellSpent(row: Pick<Api.Row, 'cells'>): void {
  if (isUnpaid(row)) process.exitCode ||= EXIT.partly;
}

/** Returns whether a cell was not looked up because of the balance, a cap or the limit of the run. */
export function isUnpaid({ cells }: Pick<Api.Row, 'cells'>): boolean {
  return Object.values(cells).some(({ error }) =>
    ['usage_limit', 'insufficient_credits'].includes(error?.code ?? ''),
  );
}

/** Explains a run that has completed without a result, and sets its exit code. */
async function tellNothing(session: Session, { artifacts: [table], output }: Api.Run): Promise<void> {
  if (!table && output === null) {
    session.say('No table was created: the prompt does not say which rows you want.');
    process.exitCode = EXIT.usage;
  }
  if (table && (await session.quarry.tables.get(table.id)).row_count === 0) {
    session.say('No rows were found: the table is empty.');
    process.exitCode = EXIT.notFound;
  }
}

/** Prints the rows of a table with their columns by name. */
export async function writeTable(
  session: Session,
  tableId: string,
  seen?: (row: Api.Row) => void,
): Promise<void> {
  const { quarry } = session;
  const { columns } = await quarry.tables.get(tableId);
  const keys = columns.map(({ key }) => key);
  const values = async function* () {
    for await (const row of quarry.tables.listRows(tableId, { limit: 1000 })) {
      seen?.(row);
      yield row.values;
    }
  };
  await session.writeRows(values(), keys);
}

/** @throws UsageError when an option is not a number */
export function numberOf(text: string, option: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0)
    throw new UsageError(`${option} must be a number, not ${text}`);
  return number;
}
