// The product as processes: all in one, or gateway and services separately.
import { setTimeout as delay } from 'node:timers/promises';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { freePort } from '@quarry/local-postgres';
import { ApiClient } from './api-client.mjs';
import { startApp, untilOk } from './child-process.mjs';
import { UNREACHABLE_SCALE } from './limits.mjs';
import { openTempDir } from './servers.mjs';

/** Milliseconds. The first start performs a sample run; measuring starts when the machine is idle. */
const QUIET_MS = 3_000;
const CREDITS = 10_000_000;

/** @returns the key of a new organisation with credits */
export async function createBenchOrganisation(url) {
  const database = await migratedDatabase(url, 'bench');
  const organisation = await createOrganisation(database, { name: 'Bench', credits: CREDITS });
  await database.close();
  return organisation;
}

/** Starts `apps/local` on a cluster. @returns its port and processes, when it is idle; it may be closed before `life` is */
export async function openLocal(life, cluster, env = {}) {
  const port = await freePort();
  const app = await life.open(
    'product',
    async () =>
      startApp('local', {
        PORT: String(port),
        DATA_DIR: await openTempDir(life),
        DATABASE_URL: cluster.url,
        RATE_LIMIT_SCALE: UNREACHABLE_SCALE,
        ...env,
      }),
    (part) => part.close(),
  );
  await untilOk(`http://127.0.0.1:${port}/readyz`);
  await delay(QUIET_MS);
  return { port, processes: { program: app.pid, PostgreSQL: cluster.pid }, close: () => app.close() };
}

/**
 * Starts the services as one process, gateways in front of them and, if `workerQueues` is set, a worker that consumes them.
 * The database is already migrated.
 * @param {{ queueUrl?: string, gateways?: number, workerQueues?: string, env?: Record<string, string> }} options `env` is of services and worker
 */
export async function openServices(
  life,
  cluster,
  { queueUrl = cluster.url, gateways = 1, workerQueues, env = {} } = {},
) {
  const operationsOf = {};
  const app = async (name, app, variables) => {
    operationsOf[name] = await freePort();
    return life.open(
      name,
      () =>
        startApp(app, {
          DATABASE_URL: cluster.workingUrl,
          RPC_SECRETS: 'r'.repeat(32),
          METRICS_PORT: String(operationsOf[name]),
          ...variables,
        }),
      (part) => part.close(),
    );
  };
  const rpcPort = await freePort();
  const jobs = { QUEUE_URL: queueUrl, SANDBOX: 'on', CURSOR_SECRET: 'c'.repeat(32), ...env };
  const services = await app('services', 'jobs-worker', {
    ...jobs,
    WORKER_QUEUES: 'none',
    SERVICES_RPC: 'on',
    RPC_PORT: String(rpcPort),
  });
  const worker = workerQueues && {
    worker: (
      await app('worker', 'jobs-worker', {
        ...jobs,
        WORKER_QUEUES: workerQueues,
        RPC_PORT: String(await freePort()),
      })
    ).pid,
  };
  for (const port of Object.values(operationsOf)) await untilOk(`http://127.0.0.1:${port}/readyz`);
  const rpcUrl = `tcp://127.0.0.1:${rpcPort}`;
  const edges = [];
  for (let nth = 1; nth <= gateways; nth += 1) {
    const port = await freePort();
    const { pid } = await app(`gateway ${nth}`, 'gateway', {
      PORT: String(port),
      RATE_LIMIT_SCALE: UNREACHABLE_SCALE,
      SHUTDOWN_DELAY_MS: '0',
      RUNS_RPC_URL: rpcUrl,
      TABLES_RPC_URL: rpcUrl,
      SERVICES_RPC_URL: rpcUrl,
      ...(queueUrl.startsWith('redis') ? { REDIS_URL: queueUrl } : {}),
    });
    await untilOk(`http://127.0.0.1:${port}/readyz`);
    edges.push([`gateway ${nth}`, port, pid]);
  }
  return {
    ports: edges.map(([, port]) => port),
    processes: {
      ...Object.fromEntries(edges.map(([name, , pid]) => [name, pid])),
      services: services.pid,
      ...worker,
      PostgreSQL: cluster.pid,
    },
  };
}

/** Returns variables that make a vendor answer `getEmail`, with 50 concurrent calls. */
export const vendorEnv = (vendorUrl) => ({
  VENDOR_URL: vendorUrl,
  VENDOR_KEY: 'bench',
  VENDOR_SERVICES: 'getEmail',
  VENDOR_CONCURRENCY: '50',
});

export function openClient(life, port, apiKey) {
  return life.open(
    'client',
    () => new ApiClient(port, apiKey),
    (client) => client.close(),
  );
}
