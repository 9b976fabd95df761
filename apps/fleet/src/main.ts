import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { demonstrationCredentials, migratedDatabase } from '@quarry/composition';
import {
  connectionsLeftAt,
  DataDir,
  DatabaseSetUpError,
  openLocalDatabase,
  requireQueueServer,
  StartError,
  type LocalDatabase,
} from '@quarry/installation';
import { createLoginLink } from '@quarry/identity';
import { freePorts, PostgresServerError } from '@quarry/local-postgres';
import { childEnvironment, IdleMemory, Lifecycle, loadEnvOrExit, namedVariable } from '@quarry/app';
import { CONNECTION_BUDGETS, connectionsIn, type Database } from '@quarry/postgres';
import { QueueBus } from '@quarry/queue';
import { addressOf, planFleet, type PlannedProcess, type Rank } from './fleet-plan.js';
import { FleetEnv } from './fleet.env.js';
import { readableLine } from './log-line.js';
import { hasRedisServer, prepareQueueRedis } from './queue-redis.js';
import { fleetScreen } from './screen.js';
import { SupervisedProcess } from './supervised-process.js';

/** Milliseconds after the drain of workers, within which gateways and services finish their work. */
const STOP_TIMEOUT_MS = 75_000;
/** Milliseconds. A dozen processes start at once, within ten seconds on two cores. */
const READY_TIMEOUT_MS = 120_000;
const READY_POLL_MS = 200;
/** Number of crashes of a process during the first start that count as a configuration error. */
const EARLY_CRASHES_MAX = 3;
const LOST_TIMEOUT_MS = 10_000;
/** Settings of the embedded PostgreSQL, whose default is too small for a fleet. */
const SERVER_SETTINGS = ['max_connections=400'];
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'end-with-parent.preload.js')).href;
/** Folder of the apps, seen from `fleet/dist/bundle`. */
const APPS = join(import.meta.dirname, '..', '..', '..');

const env = loadEnvOrExit(FleetEnv);
/** Flags for Node and program by app, from the command that starts the fleet. */
const programs = JSON.parse(process.argv[2] ?? '{}') as Record<string, { flags: string[]; program: string }>;
const BUNDLED = { flags: [] as string[], program: 'dist/bundle/main.js' };
const life = new Lifecycle((part, error) => printLine(`${part} did not close: ${(error as Error).message}`));
const running: SupervisedProcess[] = [];

new IdleMemory().start();
life.closeOnSignals((code) => process.exit(code), STOP_TIMEOUT_MS + env.DRAIN_MS + env.SHUTDOWN_DELAY_MS);
life.force.addEventListener('abort', () => running.forEach((each) => each.force()));
try {
  await startFleet();
} catch (error) {
  // A signal during the start makes the opening fail, which is not an error to report.
  if (life.isClosing) await new Promise(() => undefined);
  await life.closeWithin(STOP_TIMEOUT_MS);
  process.stderr.write(`\n${explainError(error)}\n`);
  process.exit(1);
}

async function startFleet(): Promise<void> {
  const dataDir = await life.open(
    'data folder',
    () => DataDir.open(env.DATA_DIR),
    (dir) => dir.close(),
  );
  const local = await life.open(
    'PostgreSQL',
    () =>
      openLocalDatabase({
        databaseUrl: env.DATABASE_URL ?? null,
        dataDir: dataDir.path,
        settings: SERVER_SETTINGS,
        onProgress: printLine,
      }),
    (part) => part.close(),
  );
  local.server?.onLost((how) => void stopWithoutDatabase(how));
  const queueUrl = await openQueues(dataDir);
  const database = await life.open(
    'database',
    () =>
      migratedDatabase(local.url, 'admin', { workingUrl: local.workingUrl, queueUrl: queueUrl ?? undefined }),
    (part) => part.close(),
  );
  const { processes, gatewayPorts } = await planFleet(env, {
    databaseUrls: { working: local.workingUrl ?? local.url, serving: local.servingUrl ?? local.url },
    queueUrl,
    cursorSecret: dataDir.cursorSecret(),
    rpcSecret: dataDir.rpcSecret(),
    secretsKeys: [namedVariable('ENCRYPTION_KEYS'), dataDir.secretsKey()].filter(Boolean).join(','),
    freePorts,
  });
  await tellConnections(local, processes, queueUrl);
  restartOnMessage(processes);
  const openRank = (rank: Rank) =>
    openProcesses(
      processes.filter((each) => each.rank === rank),
      processes,
    );
  await openRank('workers');
  await openRank('services');
  await openRank('gateways');
  await untilReady(processes);
  await printWelcome(dataDir, database, { processes, gatewayPorts, queueUrl });
}

/** @returns the address of the queues; null when they are in the database */
async function openQueues(dataDir: DataDir): Promise<string | null> {
  if (env.QUEUE_URL !== undefined) {
    await requireQueueServer(env.QUEUE_URL, 'QUEUE_URL');
    return env.QUEUE_URL;
  }
  if (!env.OWN_REDIS) return null;
  if (!hasRedisServer()) {
    printLine('redis-server is not installed, so the queues are in PostgreSQL.');
    return null;
  }
  const [port] = await freePorts(1);
  const redis = prepareQueueRedis(join(dataDir.path, 'redis'), port!, dataDir.passwordOf('redis'));
  const { command, args } = redis;
  const name = 'redis';
  await life.open(
    'Redis',
    () => superviseProcess({ name, command, args, env: childEnvironment({}), isNode: false }),
    (part) => part.stop(),
  );
  const deadline = performance.now() + LOST_TIMEOUT_MS;
  for (;;) {
    const fault = await requireQueueServer(redis.url, 'QUEUE_URL').then(
      () => null,
      (error: Error) => error,
    );
    if (fault === null) return redis.url;
    if (performance.now() > deadline) throw fault;
    await delay(READY_POLL_MS);
  }
}

async function openProcesses(
  planned: readonly PlannedProcess[],
  all: readonly PlannedProcess[],
): Promise<void> {
  const width = Math.max(...all.map(({ name }) => name.length));
  await life.open(
    planned.map(({ name }) => name).join(', '),
    () =>
      planned.map(({ name, app, env: variables }) => {
        const { flags, program } = programs[app] ?? BUNDLED;
        const args = [...flags, '--import', PRELOAD, join(APPS, app, program)];
        const command = process.execPath;
        return superviseProcess(
          { name, command, args, env: childEnvironment(variables), isNode: true },
          width,
        );
      }),
    (parts) => Promise.all(parts.map((part) => part.stop())),
  );
}

function superviseProcess(
  options: Omit<ConstructorParameters<typeof SupervisedProcess>[0], 'onLine' | 'onLost'>,
  width = options.name.length,
): SupervisedProcess {
  const supervised = new SupervisedProcess({
    ...options,
    onLine: (line) => printLine(readableLine(options.name, line, width)),
    onLost: (how, againInMs) =>
      printLine(`${options.name} ended (${how}); it is started again in ${againInMs / 1000} s.`),
  });
  running.push(supervised);
  supervised.start();
  return supervised;
}

/** @throws StartError when a process crashes repeatedly, or is not ready in time */
async function untilReady(planned: readonly PlannedProcess[]): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  await Promise.all(
    planned.map(async ({ name, metricsPort }) => {
      while (!(await isReady(metricsPort))) {
        const crashes = running.find((each) => each.name === name)?.crashesInARow ?? 0;
        if (crashes >= EARLY_CRASHES_MAX)
          throw new StartError(`${name} does not start; what it printed stands above.`);
        if (performance.now() > deadline) throw new StartError(`${name} is not ready after two minutes.`);
        if (life.isClosing) throw new StartError('The fleet is stopping.');
        await delay(READY_POLL_MS);
      }
    }),
  );
}

/** Polls a process. Starting a fleet of twenty takes two hundred polls, for which `fetch` would need half a second of CPU. */
function isReady(metricsPort: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port: metricsPort, path: '/readyz', timeout: 2_000 };
    const request = get(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(false));
  });
}

/** Restarts an app when `npm run dev -- <service>` reports a new build; closing the channel ends the fleet. */
function restartOnMessage(planned: readonly PlannedProcess[]): void {
  process.on('message', ({ restart }: { restart: string }) => {
    const names = planned.filter(({ app }) => app === restart).map(({ name }) => name);
    for (const each of running.filter(({ name }) => names.includes(name))) each.restart();
    printLine(`Started again: ${names.join(', ')}.`);
  });
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
}

/** Prints the maximum number of connections of the fleet, and warns when the server has fewer. */
async function tellConnections(
  local: LocalDatabase,
  processes: readonly PlannedProcess[],
  queueUrl: string | null,
): Promise<void> {
  const inQueues = QueueBus.connectionsOf(queueUrl ?? local.url);
  const perQueueBus = Object.values(inQueues).reduce((sum, n) => sum + n, 0);
  const sum = processes
    .map(({ app, env: { SERVICES_RPC } }) => {
      const budget = CONNECTION_BUDGETS[SERVICES_RPC === 'on' ? 'jobs-worker, SERVICES_RPC=on' : app];
      return connectionsIn(budget) + (app === 'gateway' ? 0 : perQueueBus);
    })
    .reduce((total, n) => total + n, connectionsIn(CONNECTION_BUDGETS.admin));
  const left = await connectionsLeftAt(local.url);
  printLine(`Connections to PostgreSQL at most: ${sum} of ${left}.`);
  if (sum > left)
    printLine(
      `Under load they may not suffice: set max_connections to ${sum + 20}, or DATABASE_POOL_SIZE=2.`,
    );
}

async function printWelcome(
  dataDir: DataDir,
  database: Database,
  facts: { processes: PlannedProcess[]; gatewayPorts: number[]; queueUrl: string | null },
): Promise<void> {
  const { processes, gatewayPorts, queueUrl } = facts;
  const gateways = gatewayPorts.map((port) => addressOf(env.HOST, port));
  const baseUrl = env.BASE_URL?.replace(/\/+$/, '') ?? gateways[0]!;
  const appUrl = env.APP_URL?.replace(/\/+$/, '') ?? `${baseUrl}/app`;
  const { credentials, isNew } = await demonstrationCredentials(dataDir, database, { baseUrl, appUrl });
  const { link } = await createLoginLink(database, appUrl, credentials.email);
  printLine(
    fleetScreen({
      link,
      gateways,
      processes,
      queues: queueUrl?.startsWith('redis') ? 'Redis' : 'PostgreSQL',
      credentials,
      credentialsFile: join(dataDir.path, 'credentials.json'),
      isFirst: isNew,
    }),
  );
}

/** Stops the fleet, which cannot answer or store anything without the database. */
async function stopWithoutDatabase(how: string): Promise<void> {
  if (life.isClosing) return;
  process.stderr.write(
    `\nThe embedded PostgreSQL ended unexpectedly (${how}), so the fleet stops. Start it again: what it had accepted goes on.\n`,
  );
  await life.closeWithin(LOST_TIMEOUT_MS);
  process.exit(1);
}

function explainError(error: unknown): string {
  const isSentence = [StartError, PostgresServerError, DatabaseSetUpError].some(
    (type) => error instanceof type,
  );
  const { message } = error as Error;
  return isSentence ? message : `The fleet could not start: ${message}`;
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
