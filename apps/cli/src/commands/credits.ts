import type { Api } from '@quarry/sdk';
import type { Command } from 'commander';
import { readJson } from '../files.js';
import type { OpenSession } from '../program.js';
import { readPairs } from './call.js';

/** Adds the commands for the balance, the ledger, and the providers. */
export function addCreditCommands(program: Command, open: OpenSession): void {
  const credits = program.command('credits').description('What remains, and what was paid.');
  credits
    .command('balance', { isDefault: true })
    .description('Says what remains.')
    .action(async (_options: object, command: Command) => {
      const session = open(command);
      await session.openOutput().writeDocument(await session.quarry.credits.get());
    });
  credits
    .command('ledger')
    .description('Lists every charge and grant, the newest first, as they come.')
    .option('--service <name>', 'only of this service, such as getEmail')
    .option('--run <id>', 'only of this run, run_…')
    .option('--batch <id>', 'only of this batch, svcbatch_…')
    .action(async (options: { service?: string; run?: string; batch?: string }, command: Command) => {
      const session = open(command);
      const query = {
        limit: 1000,
        ...(options.service === undefined ? {} : { service: options.service }),
        ...(options.run === undefined ? {} : { run_id: options.run }),
        ...(options.batch === undefined ? {} : { batch_id: options.batch }),
      };
      await session.openOutput().writeRows(session.quarry.credits.listLedger(query));
    });
  credits
    .command('estimate')
    .description('Says what lookups of a slow service would cost; nothing is done.')
    .argument('<service>', 'such as getEmail; “quarry list SERVICE FILE.csv --dry-run” estimates a file')
    .argument('[input...]', 'key=value of one input; “quarry services SERVICE” shows the keys')
    .option('--input <file>', 'one input as JSON, or {"inputs": [...]}; - for standard input')
    .action(
      async (service: string, pairs: string[], { input: path }: { input?: string }, command: Command) => {
        const session = open(command);
        const given = path === undefined ? {} : readJson(path);
        const one = { ...given, ...(await readPairs(session.quarry, service, pairs)) };
        const inputs = Array.isArray(given.inputs) ? (given.inputs as unknown[]) : [one];
        const request = { service, inputs } as Parameters<typeof session.quarry.credits.estimate>[0];
        await session.openOutput().writeDocument(await session.quarry.credits.estimate(request));
      },
    );

  program
    .command('limits')
    .description('Reads the caps of the organisation and the key.')
    .action(async (_options: object, command: Command) => {
      const session = open(command);
      const limits = await session.quarry.credits.getLimits();
      if (session.options.json) return session.openOutput().writeDocument({ ...limits });
      const rows = (['organisation', 'key'] as const).flatMap((of) =>
        (['day', 'month'] as const).map((per) => ({ of, per, ...limits[of][per] })),
      );
      await session.openOutput().writeRows(rows);
    });

  program
    .command('providers')
    .description('Lists who answers services, and whether a key is there.')
    .action(async (_options: object, command: Command) => {
      const session = open(command);
      const { items } = await session.quarry.providers.list();
      const rows: Array<Partial<Api.Provider>> = session.options.json
        ? items
        : items.map(({ id, configured, enabled, services }) => ({ id, configured, enabled, services }));
      await session.openOutput().writeRows(rows);
    });
}
