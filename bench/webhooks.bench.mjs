import { setTimeout as delay } from 'node:timers/promises';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { parseResource, WEBHOOKS_RPC } from '@quarry/dto';
import { freePort } from '@quarry/local-postgres';
import { SecretsModule, systemCtx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { WebhookReceiver } from '@quarry/test-servers';
import { WebhooksApiModule, WebhooksModule } from '@quarry/webhooks';
import { alternate, withCpu } from './harness/alternation.mjs';
import { startApp, untilOk } from './harness/child-process.mjs';
import { quantile, ratioOf } from './harness/statistics.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  '10,000 events sent to five webhooks by one worker: from the event to its arrival at four of them, with the fifth alive and dead';

const EVENTS = 10_000;
const PER_SECOND = 50;
const TICK_MS = 100;
const WEBHOOKS = 5;
const SECRET = 'a secret of the benchmark: 32 characters and more';

export async function run({ life, report, settings }) {
  const sides = {
    'all alive': await openSide(life, { isDead: false }),
    'one dead': await openSide(life, { isDead: true }),
  };
  const values = await alternate(sides, settings.rounds, settings.onRound);
  report.addTable('from an event to its arrival at the four', values);
  const ratio = ratioOf(values['one dead'].p99Ms, values['all alive'].p99Ms).median;
  report.addGoal('p99 of the four, one dead / all alive', ratio, 'at most', 1.25);
}

async function openSide(life, { isDead }) {
  const { url, workingUrl } = await openCluster(life);
  const receivers = await Promise.all(
    Array.from({ length: WEBHOOKS }, () =>
      life.open(
        'receiver',
        () => WebhookReceiver.start(),
        (part) => part.stop(),
      ),
    ),
  );
  const [fifth, ...four] = receivers;
  // It accepts each message, but never responds.
  if (isDead) fifth.reply = () => undefined;
  const latencies = [];
  for (const receiver of four)
    receiver.reply = (response, { body }) => {
      latencies.push(Date.now() - Date.parse(JSON.parse(body).timestamp));
      response.writeHead(204).end();
    };
  const allowHosts = receivers.map(({ host }) => host);
  const database = await migratedDatabase(url, 'bench');
  const { orgId } = await createOrganisation(database, { name: 'Bench', credits: 1 });
  const ctx = systemCtx('bench', orgId);
  const { rpc } = await life.open(
    'calls',
    () =>
      openLocalCalls({
        database,
        cursorSecret: SECRET,
        modules: [SecretsModule.forRoot([SECRET]), WebhooksModule.forRoot({ allowHosts }), WebhooksApiModule],
        apis: [WEBHOOKS_RPC],
      }),
    async (calls) => {
      await calls.close();
      await database.close();
    },
  );
  const metricsPort = await freePort();
  const worker = await life.open(
    'jobs-worker',
    async () =>
      startApp('jobs-worker', {
        DATABASE_URL: workingUrl,
        QUEUE_URL: url,
        WORKER_QUEUES: 'webhook-delivery',
        RPC_PORT: String(await freePort()),
        METRICS_PORT: String(metricsPort),
        CURSOR_SECRET: SECRET,
        ENCRYPTION_KEYS: SECRET,
        FETCH_ALLOW_HOSTS: allowHosts.join(),
      }),
    (part) => part.close(),
  );
  await untilOk(`http://127.0.0.1:${metricsPort}/readyz`);
  return async () => {
    // Each round has its own webhooks: undelivered messages of a dead one must not affect the next round.
    const made = [];
    for (const receiver of receivers) {
      receiver.received.length = 0;
      const body = { url: receiver.url(), types: ['run.completed'] };
      made.push(parseResource(await rpc.call(ctx, WEBHOOKS_RPC.create, { body })).id);
    }
    latencies.length = 0;
    const sample = await withCpu({ worker: worker.pid }, async () => {
      const startedAt = performance.now();
      await writeEvents(database, ctx);
      while (latencies.length < EVENTS * four.length) await delay(20);
      return { operations: EVENTS * four.length, seconds: (performance.now() - startedAt) / 1000 };
    });
    for (const webhookId of made) await rpc.call(ctx, WEBHOOKS_RPC.remove, { webhookId });
    return { ...sample, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
  };
}

/** Writes events at a steady rate, as triggers do. */
async function writeEvents(database, ctx) {
  const perTick = (PER_SECOND * TICK_MS) / 1000;
  const startedAt = performance.now();
  for (let written = 0; written < EVENTS; written += perTick) {
    await database.query(
      ctx,
      "SELECT events.record_event($1, 'live', 'run_' || n, 'run.completed', '{}') FROM generate_series($2::int, $3::int) n",
      [ctx.orgId, written + 1, written + perTick],
    );
    const dueMs = ((written + perTick) / PER_SECOND) * 1000;
    await delay(Math.max(0, startedAt + dueMs - performance.now()));
  }
}
