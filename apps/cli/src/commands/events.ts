import type { EventQuery } from '@quarry/sdk';
import type { Command } from 'commander';
import type { OpenSession } from '../program.js';

interface EventOptions {
  types?: string;
  after?: string;
}

/** Adds the commands for past and live events. */
export function addEventCommands(program: Command, open: OpenSession): void {
  const events = program
    .command('events')
    .description('What happens to runs, batches, questions, columns and files.');
  const query = ({ types, after }: EventOptions): EventQuery => ({
    ...(types === undefined ? {} : { types: types.split(',') as NonNullable<EventQuery['types']> }),
    ...(after === undefined ? {} : { after }),
  });
  events
    .command('list')
    .description('Lists events that are kept, the oldest first.')
    .option('--types <types>', 'only these, separated by commas, such as run.completed')
    .option('--after <id>', 'those behind an event')
    .action(async (options: EventOptions, command: Command) => {
      const session = open(command);
      const rows = async function* () {
        for await (const event of session.quarry.events.list({ ...query(options), limit: 1000 }))
          yield { ...event };
      };
      await session.openOutput().writeRows(rows(), ['id', 'type', 'timestamp', 'subject', 'seq', 'data']);
    });
  events
    .command('tail')
    .description('Prints events as they happen, one JSON document a line, until Ctrl-C.')
    .option('--types <types>', 'only these, separated by commas')
    .option('--after <id>', 'those behind an event, and then what happens')
    .action(async (options: EventOptions, command: Command) => {
      const session = open(command);
      const output = session.openOutput();
      session.watchInterrupt(() => '');
      for await (const event of session.quarry.events.follow({ ...query(options), signal: session.signal }))
        await output.write(`${JSON.stringify(event)}\n`);
    });
}
