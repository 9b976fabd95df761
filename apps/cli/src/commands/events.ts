import type { EventQuery } from '@quarry/sdk';
import type { QuarryCommand } from '../quarry-command.js';

interface EventOptions {
  types?: string;
  after?: string;
}

/** Adds the commands for past and live events. */
export function addEventCommands(program: QuarryCommand): void {
  const events = program
    .command('events')
    .description('Events of runs, batches, questions, columns and files.');
  const query = ({ types, after }: EventOptions): EventQuery => ({
    ...(types === undefined ? {} : { types: types.split(',') as NonNullable<EventQuery['types']> }),
    ...(after === undefined ? {} : { after }),
  });
  events
    .command('list')
    .description('Lists the stored events, the oldest first.')
    .option('--types <types>', 'only these types, comma-separated, such as run.completed')
    .option('--after <id>', 'only events after this one')
    .withSession(async (session, options: EventOptions) => {
      const rows = async function* () {
        for await (const event of session.quarry.events.list({ ...query(options), limit: 1000 }))
          yield { ...event };
      };
      await session.writeRows(rows(), ['id', 'type', 'timestamp', 'subject', 'seq', 'data']);
    });
  events
    .command('tail')
    .description('Prints new events, one JSON document per line, until Ctrl-C.')
    .option('--types <types>', 'only these types, comma-separated')
    .option('--after <id>', 'start after this event')
    .withSession(async (session, options: EventOptions) => {
      const output = session.openOutput();
      session.watchInterrupt(() => '');
      for await (const event of session.quarry.events.follow({ ...query(options), signal: session.signal }))
        await output.write(`${JSON.stringify(event)}\n`);
    });
}
