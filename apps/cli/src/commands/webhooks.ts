import { createHmac, randomBytes } from 'node:crypto';
import type { Api, EventQuery, QuarryEvent } from '@quarry/sdk';
import { systemReasonOf } from '../describe-error.js';
import { UsageError } from '../exit-codes.js';
import { checkServerUrl } from '../profiles.js';
import type { QuarryCommand } from '../quarry-command.js';

interface ListenOptions {
  forwardTo?: string;
  types?: string;
  secret?: string;
}

/** Adds the commands for webhooks. */
export function addWebhookCommands(program: QuarryCommand): void {
  const webhooks = program.command('webhooks').description('Addresses that signed events are sent to.');
  webhooks
    .command('list')
    .description('Lists webhooks.')
    .withSession(async (session) => {
      const columns = ['id', 'url', 'types', 'status', 'reason', 'created_at', 'description'];
      await session.writeRows((await session.quarry.webhooks.list()).items, columns);
    });
  webhooks
    .command('create')
    .alias('add')
    .description('Creates a webhook, and prints its secret, which is not shown again.')
    .argument('<url>', 'https://…')
    .requiredOption('--types <types>', 'event types, comma-separated, such as run.completed,run.failed')
    .option('--description <text>', 'for yourself')
    .withSession(async (session, url: string, options: { types: string; description?: string }) => {
      const { types, ...rest } = options;
      const body = { url, types: types.split(',') as Api.CreateWebhookRequest['types'], ...rest };
      await session.writeDocument(await session.quarry.webhooks.create(body));
    });
  webhooks
    .command('delete')
    .description('Deletes a webhook with its deliveries.')
    .argument('<id>', 'wh_…')
    .withSession(async (session, id: string) => {
      await session.quarry.webhooks.delete(id);
    });
  webhooks
    .command('test')
    .description('Sends a test event to a webhook.')
    .argument('<id>', 'wh_…')
    .withSession(async (session, id: string) => {
      await session.writeDocument(deliveryRow(await session.quarry.webhooks.test(id)));
    });
  webhooks
    .command('deliveries')
    .description('Lists the deliveries of a webhook, the newest first.')
    .argument('<id>', 'wh_…')
    .withSession(async (session, id: string) => {
      const rows = async function* () {
        for await (const delivery of session.quarry.webhooks.listDeliveries(id)) yield deliveryRow(delivery);
      };
      const columns = ['id', 'type', 'status', 'attempts', 'status_code', 'created_at', 'next_attempt_at'];
      await session.writeRows(rows(), [...columns, 'event_id', 'error']);
    });
  webhooks
    .command('redeliver')
    .description('Sends an event to a webhook again.')
    .argument('<id>', 'wh_…')
    .argument('<delivery>', 'whd_…')
    .withSession(async (session, id: string, delivery: string) => {
      const sent = await session.quarry.webhooks.redeliver(id, delivery);
      await session.writeDocument(deliveryRow(sent));
    });
  webhooks
    .command('listen')
    .description('Sends new events, signed, to an address of this machine until Ctrl-C.')
    .argument('[url]', 'address to send to, such as http://localhost:3000/hooks')
    .option('--forward-to <url>', 'same as the argument')
    .option('--types <types>', 'only these types, comma-separated')
    .option('--secret <secret>', 'whsec_… (default: a new one, which is printed)')
    .withSession(async (session, address: string | undefined, options: ListenOptions) => {
      const url = options.forwardTo ?? address;
      if (url === undefined)
        throw new UsageError('The address to post to is missing, such as http://localhost:3000/hooks.');
      checkServerUrl(url, 'The address to post to');
      const secret = options.secret ?? `whsec_${randomBytes(32).toString('base64')}`;
      if (options.secret === undefined) session.say(`Signed with ${secret}`);
      session.watchInterrupt(() => '');
      const types = options.types?.split(',') as EventQuery['types'];
      const follow = { signal: session.signal, ...(types ? { types } : {}) };
      for await (const event of session.quarry.events.follow(follow))
        session.say(`${event.type} ${event.id}: ${await postEvent(url, event, secret)}`);
    });
}

/** Posts an event once, as the server would. @returns the status of the answer, or why there is none */
async function postEvent(url: string, event: QuarryEvent, secret: string): Promise<string> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const mac = createHmac('sha256', key).update(`${event.id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac}`,
  };
  const signal = AbortSignal.timeout(15_000);
  return fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }).then(
    ({ status }) => String(status),
    (error: Error) => `no answer, ${systemReasonOf(error)}`,
  );
}

/** A delivery as a row, with its last attempt instead of all. */
function deliveryRow({ attempts, ...delivery }: Api.WebhookDelivery) {
  const last = attempts.at(-1);
  return {
    ...delivery,
    attempts: attempts.length,
    status_code: last?.status_code ?? null,
    error: last?.error ?? null,
  };
}
