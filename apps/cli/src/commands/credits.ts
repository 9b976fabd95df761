import type { Api } from '@quarry/sdk';
import { readJson } from '../files.js';
import { readPairs } from './call.js';
import type { QuarryCommand } from '../quarry-command.js';

/** Adds the commands for the balance, the ledger, and the providers. */
export function addCreditCommands(program: QuarryCommand): void {
  const credits = program.command('credits').description('Balance, charges and estimates.');
  credits
    .command('balance', { isDefault: true })
    .description('Shows the remaining credits.')
    .withSession(async (session) => {
      await session.writeDocument(await session.quarry.credits.get());
    });
  credits
    .command('ledger')
    .description('Lists all charges and grants, the newest first.')
    .option('--service <name>', 'only charges of this service, such as getEmail')
    .option('--run <id>', 'only charges of this run, run_…')
    .option('--batch <id>', 'only charges of this batch, svcbatch_…')
    .withSession(async (session, options: { service?: string; run?: string; batch?: string }) => {
      const query = {
        limit: 1000,
        ...(options.service === undefined ? {} : { service: options.service }),
        ...(options.run === undefined ? {} : { run_id: options.run }),
        ...(options.batch === undefined ? {} : { batch_id: options.batch }),
      };
      await session.writeRows(session.quarry.credits.listLedger(query));
    });
  credits
    .command('estimate')
    .description('Estimates the cost of lookups with a slow service, without running them.')
    .argument(
      '<service>',
      'name of the service, such as getEmail; for a file use “quarry list SERVICE FILE.csv --dry-run”',
    )
    .argument('[input...]', 'key=value of one input; “quarry services SERVICE” shows the keys')
    .option('--input <file>', 'one input as JSON, or {"inputs": [...]}; - for standard input')
    .withSession(async (session, service: string, pairs: string[], { input: path }: { input?: string }) => {
      const given = path === undefined ? {} : readJson(path);
      const one = { ...given, ...(await readPairs(session.quarry, service, pairs)) };
      const inputs = Array.isArray(given.inputs) ? (given.inputs as unknown[]) : [one];
      const request = { service, inputs } as Parameters<typeof session.quarry.credits.estimate>[0];
      await session.writeDocument(await session.quarry.credits.estimate(request));
    });

  program
    .command('limits')
    .description('Shows the spend caps of the organisation and the key.')
    .withSession(async (session) => {
      const limits = await session.quarry.credits.getLimits();
      if (session.options.json) return session.writeDocument({ ...limits });
      const rows = (['organisation', 'key'] as const).flatMap((of) =>
        (['day', 'month'] as const).map((per) => ({ of, per, ...limits[of][per] })),
      );
      await session.writeRows(rows);
    });

  program
    .command('providers')
    .description('Lists the vendors of the services, and whether a key is set.')
    .withSession(async (session) => {
      const { items } = await session.quarry.providers.list();
      const rows: Array<Partial<Api.Provider>> = session.options.json
        ? items
        : items.map(({ id, configured, enabled, services }) => ({ id, configured, enabled, services }));
      await session.writeRows(rows);
    });
}
