import { join } from 'node:path';
import { ApiClient, demonstrationCredentials, migratedDatabase } from '@quarry/composition';
import { modelOf } from '@quarry/language-models';
import { providersOf } from '@quarry/providers';
import {
  DataDir,
  DatabaseSetUpError,
  openLocalDatabase,
  requireQueueServer,
  StartError,
  type Credentials,
} from '@quarry/installation';
import { QUEUES } from '@quarry/dto';
import { createHttpApi } from '@quarry/http';
import { createLogger, IdleMemory, Lifecycle, loadEnvOrExit, openTracing, orExit } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { QueueBus } from '@quarry/queue';
import { LocalRpcTransport } from '@quarry/rpc';
import { freePort, PostgresServerError } from '@quarry/local-postgres';
import { GoLeaseStore } from '@quarry/research';
import { createLoginLink } from '@quarry/identity';
import { DirectoryStore } from '@quarry/imported';
import { RunLeaseStore } from '@quarry/runs';
import { JobLeaseStore } from '@quarry/service-jobs';
import { ReadingLeaseStore, SendingLeaseStore } from '@quarry/outreach';
import { DestinationLeaseStore, WebhookLeaseStore } from '@quarry/webhooks';
import { APIS, AppModule } from './app.module.js';
import { LocalEnv } from './local.env.js';
import { SAMPLE_PROMPT, sampleRun } from './sample-run.js';
import { welcomeScreen, type SearchableData } from './screen.js';

/** Milliseconds. Connections to a lost server may never close, so a stop waits no longer for them. */
const STOP_TIMEOUT_MS = 20_000;
const LOST_TIMEOUT_MS = 3000;

const env = loadEnvOrExit(LocalEnv);
const logger = createLogger('local', env.LOG_LEVEL);
const model = modelOf(env);
const providers = await orExit(() => providersOf(env, logger, model));
const life = new Lifecycle((part, error) => logger.error({ err: error, part }, 'a part did not close'));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

life.closeOnSignals((code) => process.exit(code), STOP_TIMEOUT_MS);
try {
  await startProduct();
} catch (error) {
  // A signal during the start makes the opening fail, which is not an error to report.
  if (life.isClosing) await new Promise(() => undefined);
  await life.closeWithin(STOP_TIMEOUT_MS);
  process.stderr.write(`\n${explainError(error)}\n`);
  process.exit(1);
}

async function startProduct(): Promise<void> {
  await openTracing(env, { app: 'local', life, logger });
  new IdleMemory().start();
  const dataDir = await life.open(
    'data folder',
    () => DataDir.open(env.DATA_DIR),
    (dir) => dir.close(),
  );
  const local = await life.open(
    'PostgreSQL',
    () =>
      openLocalDatabase({ databaseUrl: env.DATABASE_URL ?? null, dataDir: dataDir.path, onProgress: say }),
    (part) => part.close(),
  );
  local.server?.onLost((how) => void stopWithoutDatabase(how));
  const queueUrl = env.QUEUE_URL ?? local.workingUrl ?? local.url;
  await requireQueueServer(queueUrl, env.QUEUE_URL === undefined ? 'DATABASE_URL' : 'QUEUE_URL');
  const database = await life.open(
    'database',
    () => migratedDatabase(local.url, 'local', { workingUrl: local.workingUrl, queueUrl: env.QUEUE_URL }),
    (part) => part.close(),
  );
  // This process has the lock of the folder, so all former owners of leases in its database have ended.
  if (local.server !== null) await expireLeases(database);
  const queues = await life.open(
    'queues',
    () =>
      QueueBus.open(QUEUES, {
        url: queueUrl,
        ...(env.QUEUE_URL === undefined && database.role ? { role: database.role } : {}),
        onError: (error, queue) => logger.warn({ err: error, queue }, 'a queue reported an error'),
      }),
    (part) => part.close(),
  );
  const connections = { ...database.connections, ...QueueBus.connectionsOf(queueUrl) };
  say(`Connections to PostgreSQL at most: ${describeConnections(connections)}.`);
  // Links contain the port, so it is chosen before any link is created.
  const port = env.PORT === 0 ? await freePort() : env.PORT;
  const appUrl = trimSlash(env.APP_URL ?? `${baseUrlAt(port)}/app`);
  const rpc = new LocalRpcTransport(APIS);
  const module = AppModule.forRoot(env, {
    life,
    logger,
    database,
    queues,
    queueUrl,
    cursorSecret: dataDir.cursorSecret(),
    // Both are tried when a secret is opened: it may have been sealed with the folder's key before ENCRYPTION_KEYS was
    // set, or the reverse.
    secretsKeys: [...env.ENCRYPTION_KEYS, dataDir.secretsKey()],
    rpc,
    appUrl,
    baseUrl: baseUrlAt(port),
    providers,
    model,
  });
  const api = await life.open(
    'application',
    () => createHttpApi(module, { logger }),
    (part) => part.close(life.force),
  );
  api.app.connectMicroservice({ strategy: rpc });
  rpc.callDirectly(api.app);
  await api.app.startAllMicroservices();
  const listensOn = await api.listen(port, env.HOST);
  const baseUrl = baseUrlAt(listensOn);
  await printWelcome(dataDir, database, baseUrl, appUrl);
}

/** Expires the leases of a killed process: the owner of the folder's lock is the only process on its database. */
async function expireLeases(database: Database): Promise<void> {
  await new JobLeaseStore(database).expireAll();
  await new RunLeaseStore(database).expireAll();
  await new GoLeaseStore(database).expireAll();
  await new WebhookLeaseStore(database).expireAll();
  await new DestinationLeaseStore(database).expireAll();
  await new SendingLeaseStore(database).expireAll();
  await new ReadingLeaseStore(database).expireAll();
}

/** Stops the product, which cannot answer or store anything without the database. */
async function stopWithoutDatabase(how: string): Promise<void> {
  if (life.isClosing) return;
  process.stderr.write(
    `\nThe embedded PostgreSQL ended unexpectedly (${how}), so Quarry stops. Start Quarry again: accepted work goes on.\n`,
  );
  logger.level = 'silent';
  await life.closeWithin(LOST_TIMEOUT_MS);
  process.exit(1);
}

/** Creates the demonstration organisation at the first start, shows a run, and prints the next steps. */
async function printWelcome(
  dataDir: DataDir,
  database: Database,
  baseUrl: string,
  appUrl: string,
): Promise<void> {
  const { credentials, isNew } = await demonstrationCredentials(dataDir, database, { baseUrl, appUrl });
  if (isNew) {
    say(`\n  A first run, “${SAMPLE_PROMPT}”:\n`);
    say(
      await sampleRun(new ApiClient(baseUrl, await sampleKey(baseUrl, credentials))).catch(
        (error: Error) => `  The sample run failed: ${error.message}`,
      ),
    );
  }
  const { link } = await createLoginLink(database, appUrl, credentials.email);
  const data = {
    searched: await searchedBy(new ApiClient(baseUrl, credentials.api_key)),
    directories: await new DirectoryStore(database).listSummaries(),
  };
  const file = join(dataDir.path, 'credentials.json');
  say(welcomeScreen(credentials, { link, file, isFirst: isNew, data }));
}

/** Returns the key of the sample run. Its people are fictional: with a vendor for e-mail addresses, it uses the test mode. */
async function sampleKey(baseUrl: string, { api_key: live, test_key: test }: Credentials): Promise<string> {
  const ids = await idsOf(new ApiClient(baseUrl, live), 'getEmail');
  // Neither `web` nor `research` looks up names that are reserved for examples.
  const isFree = ids.every((id) => ['sandbox', 'web', 'research'].includes(id));
  return isFree ? live : test;
}

/** @returns the providers that answer the searches of a key; null for a revoked key */
async function searchedBy(api: ApiClient): Promise<SearchableData['searched']> {
  try {
    return { companies: await idsOf(api, 'searchCompanies'), people: await idsOf(api, 'searchPeople') };
  } catch {
    return null;
  }
}

/** @returns the ids of a service's providers, in the order in which they are called */
async function idsOf(api: ApiClient, service: string): Promise<string[]> {
  const { providers } = await api.get<{ providers: Array<{ id: string }> }>(`/services/${service}`);
  return providers.map(({ id }) => id);
}

function explainError(error: unknown): string {
  if (
    error instanceof StartError ||
    error instanceof PostgresServerError ||
    error instanceof DatabaseSetUpError
  )
    return error.message;
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE' && port === env.METRICS_PORT)
    return `METRICS_PORT ${port} on 127.0.0.1 is already in use. Stop the program that uses it, or set METRICS_PORT to another port.`;
  if (code === 'EADDRINUSE')
    return `Port ${env.PORT} on ${env.HOST} is already in use. Stop the program that uses it, or set PORT to another port: PORT=3001 npm start`;
  if (code === 'EACCES')
    return `Port ${env.PORT} on ${env.HOST} cannot be opened by this user. Set PORT to a port above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST=${env.HOST} is not an address of this machine.`;
  logger.debug({ err: error }, 'the start failed');
  return `Quarry could not start: ${message} (LOG_LEVEL=debug shows details)`;
}

/** @returns the sum, and each part that is not zero */
function describeConnections(connections: Readonly<Record<string, number>>): string {
  const parts = Object.entries(connections).filter(([, n]) => n > 0);
  const sum = parts.reduce((total, [, n]) => total + n, 0);
  return `${sum} (${parts.map(([kind, n]) => `${kind} ${n}`).join(', ')})`;
}

function printableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function baseUrlAt(port: number): string {
  return trimSlash(env.BASE_URL ?? `http://${printableHost(env.HOST)}:${port}`);
}

function trimSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
