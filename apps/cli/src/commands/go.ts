import type { Api } from '@quarry/sdk';
import { EXIT } from '../exit-codes.js';
import { readJson } from '../files.js';
import { formatCount, textOf } from '../screen.js';
import type { Session } from '../session.js';
import { numberOf } from './run.js';
import type { QuarryCommand } from '../quarry-command.js';

interface GoOptions {
  url?: string[];
  schema?: string;
  effort?: 'low' | 'medium' | 'high';
  maxCredits?: string;
}

/** Adds the commands for Go runs. */
export function addGoCommands(program: QuarryCommand): void {
  const go = program.command('go').description('Answers questions from the web, with quotes.');
  go.command('ask', { isDefault: true })
    .description('Answers a question.')
    .argument('<question>', 'such as "How can Halbrook Pumps be reached?"')
    .option(
      '--url <url>',
      'address of a page to read; repeatable, and required without a language model',
      (url: string, all: string[] = []) => [...all, url],
    )
    .option('--schema <file>', 'JSON Schema of the answer (default: {"answer": text})')
    .option('--effort <effort>', 'low (5 credits, 2 minutes), medium (20, 5) or high (60, 15) (default: low)')
    .option('--max-credits <n>', 'maximum cost (default: that of the effort)')
    .withSession(
      async (session, prompt: string, { url: urls = [], schema, effort, maxCredits }: GoOptions) => {
        const { id } = await session.quarry.go.create({
          prompt,
          ...(urls.length === 0 ? {} : { urls }),
          ...(schema === undefined ? {} : { schema: readJson(schema) }),
          ...(effort === undefined ? {} : { effort }),
          ...(maxCredits === undefined ? {} : { max_credits: numberOf(maxCredits, '--max-credits') }),
        });
        session.watchInterrupt(
          () =>
            `The run goes on. Read it with “quarry go get ${id}”, cancel it with “quarry go cancel ${id}”.`,
        );
        session.showProgress('reading …');
        await printRun(session, await session.quarry.go.wait(id, { signal: session.signal }));
      },
    );
  go.command('get')
    .description('Reads the answer to a question.')
    .argument('<id>', 'gorun_…')
    .withSession(async (session, id: string) => {
      await printRun(session, await session.quarry.go.get(id));
    });
  go.command('cancel')
    .description('Cancels a question.')
    .argument('<id>', 'gorun_…')
    .withSession(async (session, id: string) => {
      await printRun(session, await session.quarry.go.cancel(id));
    });
}

async function printRun(session: Session, run: Api.GoRun): Promise<void> {
  const output = session.openOutput();
  if (session.options.json) await output.writeDocument({ ...run });
  else {
    await output.writeDocument((run.output ?? { status: run.status }) as Record<string, unknown>);
    for (const basis of run.basis) printBasis(session, basis);
    session.say(formatCount(run.credits.charged, 'credit'));
  }
  if (run.error) session.say(`${run.error.code}: ${run.error.message}`);
  if (run.status === 'failed') process.exitCode = EXIT.failed;
  if (run.stop_reason === 'budget' || run.stop_reason === 'time') process.exitCode = EXIT.partly;
  if (run.stop_reason === 'no_evidence') process.exitCode = EXIT.notFound;
}

/** Prints why a field has its value, or why it has none; the field is a JSON Pointer. */
function printBasis(
  session: Session,
  { field, confidence, reasoning, citations }: Api.GoRun['basis'][number],
): void {
  const name = field.replace(/^\//, '');
  session.say(confidence === null ? `${name} (not proved): ${reasoning}` : `${name} (${confidence})`);
  for (const { url, excerpt } of citations)
    session.say(`  ${url}${excerpt ? `\n  “${textOf(excerpt).slice(0, 200)}”` : ''}`);
}
