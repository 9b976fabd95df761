import type { Api } from '@quarry/sdk';
import { Argument } from 'commander';
import { EXIT, UsageError } from '../exit-codes.js';
import { numberOf } from './run.js';
import type { QuarryCommand } from '../quarry-command.js';

const KINDS: Readonly<Record<Api.CreateDestinationRequest['kind'], true>> = {
  webhook: true,
  hubspot_contacts: true,
  hubspot_companies: true,
  pipedrive_persons: true,
  instantly_leads: true,
  smartlead_leads: true,
  lemlist_leads: true,
};

interface Settings {
  url?: string;
  rowsPerRequest?: string;
  campaign?: string;
  overwrite?: true;
}

/** Adds the commands for destinations, which rows of tables are pushed to. */
export function addDestinationCommands(program: QuarryCommand): void {
  const destinations = program
    .command('destinations')
    .description('Destinations for rows of tables: a webhook, a CRM or a sequencer.');
  destinations
    .command('list')
    .description('Lists destinations.')
    .withSession(async (session) => {
      const columns = ['id', 'kind', 'name', 'settings', 'mapping', 'created_at'];
      await session.writeRows((await session.quarry.destinations.list()).items, columns);
    });
  destinations
    .command('create')
    .description('Creates a destination. Its API key or secret is typed in or read from standard input.')
    .addArgument(new Argument('<kind>', 'kind of the destination').choices(Object.keys(KINDS)))
    .requiredOption('--name <name>', 'name of the destination')
    .option('--url <url>', 'address of a webhook, https://…')
    .option('--rows-per-request <n>', 'rows per request to a webhook, 1 to 100 (default: 1)')
    .option(
      '--campaign <id>',
      'campaign of a sequencer; required for instantly_leads, smartlead_leads and lemlist_leads',
    )
    .option('--overwrite', 'replace existing values in a CRM (default: fill only empty fields)')
    .withSession(async (session, kind: string, options: { name: string } & Settings) => {
      const settings = settingsOf(options);
      // Never an option: other users can read the arguments of processes.
      const question = process.stdin.isTTY ? `Secret of ${options.name}: ` : '';
      const secret = (await session.ask(question, { isSecret: true })).trim();
      if (secret === '')
        throw new UsageError('No secret was given. Type it in, or pipe it to standard input.', EXIT.usage);
      const body = { kind: kind as Api.CreateDestinationRequest['kind'], name: options.name, secret };
      const made = await session.quarry.destinations.create({ ...body, settings });
      await session.writeDocument(made);
    });
  destinations
    .command('delete')
    .description('Deletes a destination with its pushes.')
    .argument('<id>', 'dst_…')
    .withSession(async (session, id: string) => {
      await session.quarry.destinations.delete(id);
    });
  for (const [name, description] of [
    ['preview', 'Shows what a push would do, without sending anything.'],
    ['push', 'Pushes the new and changed rows of a table.'],
  ] as const)
    destinations
      .command(name)
      .description(description)
      .argument('<id>', 'dst_…')
      .argument('<table>', 'tbl_…')
      .withSession(async (session, id: string, table: string) => {
        await session.writeDocument(await session.quarry.destinations[name](id, { table_id: table }));
      });
  destinations
    .command('pushes')
    .description('Lists the pushes to a destination, the newest first.')
    .argument('<id>', 'dst_…')
    .withSession(async (session, id: string) => {
      const columns = ['id', 'status', 'counts', 'table_id', 'view', 'created_at', 'ended_at', 'reason'];
      await session.writeRows(session.quarry.destinations.listPushes(id), columns);
    });
}

function settingsOf({
  url,
  rowsPerRequest,
  campaign,
  overwrite,
}: Settings): Api.CreateDestinationRequest['settings'] {
  return {
    ...(url === undefined ? {} : { url }),
    ...(rowsPerRequest === undefined
      ? {}
      : { rows_per_request: numberOf(rowsPerRequest, '--rows-per-request') }),
    ...(campaign === undefined ? {} : { campaign_id: campaign }),
    ...(overwrite === undefined ? {} : { overwrite }),
  };
}
