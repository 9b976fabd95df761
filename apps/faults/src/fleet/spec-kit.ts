import { auditLedger, createOrganisation } from '@quarry/composition';
import { Database, systemCtx } from '@quarry/platform';
import { PostgresServer } from '@quarry/local-postgres';
import {
  ApiClient,
  AppProcess,
  brokenAttempts,
  brokenInvariants,
  ClientHistory,
  descendantsOf,
  isRunning,
  LeaseAudit,
  ProviderSimulator,
} from '@quarry/testing';
import { OwnRedis, TcpFaultProxy, waitFor } from '@quarry/test-servers';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** The last line of the fleet's start screen. */
export const READY = 'Press Ctrl-C to stop';
/** Other suites and a dozen processes share two cores. */
export const READY_MS = 180_000;
/** A line whose worker is lost takes its lease and a round of the reconciler, 45 s; one that nobody finds never ends. */
const ENDS_WITHIN_MS = 240_000;
/** Between two rounds of the load: what is accepted is also worked on, by seven processes on two cores. */
const ASK_EVERY_MS = 500;
/** A round with a run: rounds of lists come that often between two. */
const ROUNDS_OF_A_RUN = 4;
/** Lists that are asked for again at the end, of the first and of the last. */
const REPEATS = 5;
/** Of a PostgreSQL for a dozen processes. */
export const FLEET_SERVER_SETTINGS = ['max_connections=400'];
const SYSTEM = systemCtx('fleet-spec');

export interface FleetOptions {
  env?: Record<string, string>;
  /** Where the cluster is; in a folder of the scene when left out. */
  cluster?: { dir: string };
}

/** A process of the fleet, as the kernel knows it. */
export interface FleetProcess {
  pid: number;
  metricsPort: number;
  env: Readonly<Record<string, string>>;
}

/** The kinds of processes, by the folder of the app and a variable that only this kind has. */
export const KINDS = {
  gateway: { app: 'gateway', variable: 'TABLES_RPC_URL' },
  tables: { app: 'tables', variable: 'RPC_PORT' },
  'runs-agent': { app: 'runs-agent', variable: 'RPC_PORT' },
  services: { app: 'jobs-worker', variable: 'SERVICES_RPC' },
  worker: { app: 'jobs-worker', variable: 'WORKER_QUEUES', value: 'service-get-email' },
} as const;
export type Kind = keyof typeof KINDS;

/** What a scene has started, from the first of it on: also an opening that fails midway leaves nothing behind. */
class StartedParts {
  private static readonly unclosed = new Set<StartedParts>();
  private readonly ends = new Map<string, () => unknown>();

  constructor() {
    StartedParts.unclosed.add(this);
  }

  static async closeAll(): Promise<void> {
    await Promise.all([...StartedParts.unclosed].map((parts) => parts.close()));
  }

  /** Says how a part is ended; of the same name anew, in place of what was said before. */
  add(name: string, end: () => unknown): void {
    this.ends.set(name, end);
  }

  /** Ends the last part first, each whatever becomes of the others. @throws what the first of them threw */
  async close(): Promise<void> {
    StartedParts.unclosed.delete(this);
    const errors: unknown[] = [];
    for (const [name, end] of [...this.ends].reverse()) {
      this.ends.delete(name);
      try {
        await end();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/**
 * A fleet as `npm run fleet` starts it, over a PostgreSQL and a Redis of its own that stand behind proxies whose network
 * can be broken, and a vendor that answers getEmail and remembers every call.
 */
export class FleetScene {
  private readonly loads: FleetLoad[] = [];
  gateways: string[] = [];
  apiKey = '';

  private constructor(
    readonly app: AppProcess,
    public server: PostgresServer,
    /** Between the fleet and PostgreSQL. */
    readonly postgresProxy: TcpFaultProxy,
    readonly redis: OwnRedis,
    /** Between the fleet and Redis. */
    readonly redisProxy: TcpFaultProxy,
    readonly vendor: ProviderSimulator,
    /** Straight to PostgreSQL, past the proxy. */
    readonly database: Database,
    readonly audit: LeaseAudit,
    private readonly parts: StartedParts,
    private readonly cluster: { dir: string },
  ) {
    // It may be another by then.
    parts.add('server', () => this.server.stop());
    parts.add('loads', () => Promise.all(this.loads.map((load) => load.stop())));
  }

  static async open(options: FleetOptions = {}): Promise<FleetScene> {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-fleet-faults-'));
    const parts = partsIn(folder);
    const cluster = options.cluster ?? { dir: join(folder, 'postgres') };
    const server = await PostgresServer.start({ ...cluster, settings: FLEET_SERVER_SETTINGS });
    parts.add('server', () => server.stop());
    await asSuperuser(server.url('postgres'), 'CREATE DATABASE quarry');
    return FleetScene.assemble(parts, server, folder, cluster, options);
  }

  /** Starts a fleet over a server that has a database `quarry`, empty or restored. Server and folder end with it. */
  static over(
    server: PostgresServer,
    folder: string,
    cluster: { dir: string },
    options: FleetOptions,
  ): Promise<FleetScene> {
    const parts = partsIn(folder);
    parts.add('server', () => server.stop());
    return FleetScene.assemble(parts, server, folder, cluster, options);
  }

  private static async assemble(
    parts: StartedParts,
    server: PostgresServer,
    folder: string,
    cluster: { dir: string },
    { env = {} }: FleetOptions,
  ): Promise<FleetScene> {
    const url = server.url('quarry');
    const postgresProxy = await TcpFaultProxy.before(url);
    parts.add('way to PostgreSQL', () => postgresProxy.close());
    const redis = await OwnRedis.start();
    parts.add('Redis', () => redis.stop());
    const redisProxy = await TcpFaultProxy.before(redis.url);
    parts.add('way to Redis', () => redisProxy.close());
    const vendor = await ProviderSimulator.start();
    parts.add('vendor', () => vendor.stop());
    const app = AppProcess.start('fleet', {
      DATABASE_URL: postgresProxy.through(url),
      QUEUE_URL: redisProxy.through(redis.url),
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      RATE_LIMIT_SCALE: '1000',
      DATABASE_POOL_SIZE: '2',
      VENDOR_URL: vendor.url,
      VENDOR_KEY: vendor.key,
      VENDOR_SERVICES: 'getEmail',
      ...env,
    });
    parts.add('fleet', async () => {
      const below = descendantsOf(app.pid);
      // A fleet whose servers still stand still would be waited for.
      redis.resume();
      await app.stop('SIGKILL');
      for (const pid of below.filter(isRunning)) process.kill(pid, 'SIGKILL');
    });
    await app.printed(READY, READY_MS);
    const database = await Database.open({ url, applicationName: 'spec', connectMs: 60_000 });
    parts.add('connections', () => database.close());
    const audit = await LeaseAudit.install(database, (sql) => asSuperuser(url, sql));
    const running = [app, server, postgresProxy, redis, redisProxy, vendor, database, audit] as const;
    const scene = new FleetScene(...running, parts, cluster);
    scene.gateways = gatewaysIn(app.output);
    scene.apiKey = (await createOrganisation(database, { name: 'Fleet', credits: 100_000 })).apiKey;
    return scene;
  }

  /** Ends what a failed test left, and what an opening that failed had started. */
  static closeAll(): Promise<void> {
    return StartedParts.closeAll();
  }

  /** Starts a steady load of reads, lists and runs on both gateways in turn. */
  load(): FleetLoad {
    const load = new FleetLoad(this.gateways, this.apiKey);
    this.loads.push(load);
    return load;
  }

  /** Starts PostgreSQL again where it was. */
  async restartServer(): Promise<void> {
    const { port } = this.server;
    this.server = await PostgresServer.start({
      ...this.cluster,
      port,
      settings: FLEET_SERVER_SETTINGS,
    });
  }

  /** @returns the living processes of a kind */
  processesOf(kind: Kind): FleetProcess[] {
    const { app, variable, ...more } = KINDS[kind];
    return descendantsOf(this.app.pid).flatMap((pid) => {
      const found = processAt(pid);
      if (!found?.command.includes(`apps/${app}/`) || !isRunning(pid)) return [];
      const { env } = found;
      const isOfKind = 'value' in more ? env[variable] === more.value : env[variable] !== undefined;
      return isOfKind ? [{ pid, env, metricsPort: Number(env.METRICS_PORT) }] : [];
    });
  }

  /** How often a process of the fleet has ended although nobody stopped the fleet. */
  get losses(): number {
    return this.app.output.match(/it is started again in/g)?.length ?? 0;
  }

  /** @returns whether every process that the fleet has planned is there and ready, and none of them twice */
  async isReady(): Promise<boolean> {
    const planned = plannedIn(this.app.output);
    const living = descendantsOf(this.app.pid).flatMap((pid) => {
      const found = isRunning(pid) ? processAt(pid) : null;
      return found?.command.includes('apps/') && found.env.METRICS_PORT ? [found.env.METRICS_PORT] : [];
    });
    if (living.length !== planned.length || !planned.every((port) => living.includes(port))) return false;
    const answers = await Promise.all(planned.map((port) => isWell(`http://127.0.0.1:${port}/readyz`)));
    return answers.every(Boolean);
  }

  async one<T>(sql: string, params: unknown[] = []): Promise<T> {
    return (await this.database.queryOne(SYSTEM, sql, params)) as T;
  }

  /** @returns how long no line ended at most, from a moment of the server's clock on. Milliseconds */
  async longestGap(since: Date): Promise<number> {
    const { ms } = await this.one<{ ms: number | null }>(
      `SELECT (max(extract(epoch FROM at - before)) * 1000)::int AS ms FROM (
         SELECT completed_at AS at, lag(completed_at, 1, $1::timestamptz) OVER (ORDER BY completed_at) AS before
         FROM jobs.jobs WHERE completed_at > $1) ends`,
      [since],
    );
    return ms ?? 0;
  }

  async now(): Promise<Date> {
    return (await this.one<{ at: Date }>('SELECT clock_timestamp() AS at')).at;
  }

  /**
   * Waits until every line and every run has ended, and judges what is left.
   * @param hasSeenAll whether the vendor and the audit were there from the first line on; not over a restored database
   * @returns what was found by name: an empty object when all held
   */
  async findings(hasSeenAll = true): Promise<Record<string, unknown>> {
    const found: Record<string, unknown[]> = { 'never ended': await this.ended() };
    const { database } = this;
    for (const load of this.loads)
      found['load'] = [...(found['load'] ?? []), ...(await load.broken(database))];
    found['ledger'] = await auditLedger(database);
    if (hasSeenAll) {
      found['attempts and calls'] = await brokenAttempts(database, this.vendor.calls, 0);
      const [stale, stolen] = [await this.audit.staleWrites(), await this.audit.stolenLeases()];
      found['writes with a superseded token'] = stale.accepted > 0 ? [stale] : [];
      found['leases given while another stood'] = stolen > 0 ? [stolen] : [];
    }
    found['not completed'] = await database.query(
      SYSTEM,
      `SELECT id, state, error ->> 'code' AS code FROM jobs.jobs WHERE state <> 'completed'
       UNION ALL SELECT id, status, message FROM runs.runs WHERE status <> 'completed' LIMIT 5`,
    );
    found['charged twice'] = await database.query(
      SYSTEM,
      "SELECT job_id FROM credits.transfers WHERE kind = 'post' AND amount > 0 GROUP BY job_id HAVING count(*) > 1 LIMIT 5",
    );
    Object.assign(found, await brokenInvariants(database));
    return Object.fromEntries(Object.entries(found).filter(([, items]) => items.length > 0));
  }

  close(): Promise<void> {
    return this.parts.close();
  }

  private async ended(): Promise<string[]> {
    const open = `SELECT id FROM jobs.jobs WHERE completed_at IS NULL
      UNION ALL SELECT id FROM runs.runs WHERE status NOT IN ('completed', 'failed', 'cancelled') LIMIT 5`;
    const isQuiet = async () => (await this.database.query(SYSTEM, open)).length === 0;
    await waitFor('every line and run to end', isQuiet, ENDS_WITHIN_MS).catch(() => undefined);
    return (await this.database.query<{ id: string }>(SYSTEM, open)).map(({ id }) => id);
  }
}

/** Clients that ask and write without an end, on all gateways in turn, and keep what each was told. */
export class FleetLoad {
  readonly history: ClientHistory;
  /** Ids of the runs that were accepted. */
  readonly runs: string[] = [];
  longestMs = 0;
  /** Answers to reads and writes by status; 0 is a connection that broke. */
  readonly told: Record<number, number> = {};
  private readonly asked: Array<Promise<unknown>> = [];
  private readonly timer: NodeJS.Timeout;
  private rounds = 0;
  private turn = 0;

  /** Names of people are never used twice, whatever the load before it has asked for. */
  private static people = 0;

  constructor(
    private readonly gateways: readonly string[],
    private readonly apiKey: string,
  ) {
    this.history = new ClientHistory(() => this.gateways[(this.turn += 1) % this.gateways.length]!, apiKey);
    this.timer = setInterval(() => void this.ask(), ASK_EVERY_MS);
  }

  /** Declares that what answers is away: a 5xx in the envelope is then a right answer. */
  set isOutage(value: boolean) {
    this.history.isOutage = value;
  }

  /** @returns the statuses of one round's answers, 0 for one that never came */
  ask(): Promise<number[]> {
    this.rounds += 1;
    const people = [FleetLoad.person('ok'), FleetLoad.person('slow-1s'), FleetLoad.person('slow-2s')];
    const reads = ['/credits', '/v1/workspaces', '/v1/runs?limit=1', '/v1/services/jobs?status=failed'];
    const answers = [
      this.timed(this.history.send(`load-${people[0]!.first_name as string}`, people)),
      ...reads.map((path) => this.timed(this.history.call('GET', path))),
      ...(this.rounds % ROUNDS_OF_A_RUN === 0 ? [this.timed(this.startRun())] : []),
    ];
    this.asked.push(...answers);
    return Promise.all(answers);
  }

  /** Sends lists of a hundred lines each with the history's checks. @throws Error when one was not accepted */
  async sendLines(count: number, behaviour: string): Promise<void> {
    for (let sent = 0; sent < count; sent += 100) {
      const people = Array.from({ length: Math.min(100, count - sent) }, () => FleetLoad.person(behaviour));
      const { batchId, status } = await this.history.send(`lines-${people[0]!.first_name as string}`, people);
      if (batchId === null) throw new Error(`The list was answered ${status}.`);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.asked);
  }

  /** Asks for the first and the last lists again. @returns what the answers and the database deny each other */
  async broken(database: Database): Promise<string[]> {
    await this.stop();
    this.history.isOutage = false;
    const { lists } = this.history;
    for (const list of new Set([...lists.slice(0, REPEATS), ...lists.slice(-REPEATS)]))
      await this.history.repeat({ ...list, batchId: list.batchId! });
    const kept = await database.query<{ id: string }>(
      SYSTEM,
      'SELECT id FROM runs.runs WHERE id = ANY ($1)',
      [this.runs],
    );
    const lost = this.runs.length - kept.length;
    return [
      ...(await this.history.broken(database)),
      ...(lost > 0 ? [`${lost} accepted runs are lost`] : []),
    ];
  }

  private static person(behaviour: string): Record<string, unknown> {
    return { first_name: `F${++FleetLoad.people}`, last_name: 'Doe', domain: `${behaviour}.vendor.test` };
  }

  private async startRun(): Promise<{ status: number }> {
    const api = new ApiClient(this.gateways[(this.turn += 1) % this.gateways.length]!, this.apiKey);
    const wasOutage = this.history.isOutage;
    const { status, body } = await api
      .post<{ id: string }>('/v1/runs', { prompt: '3 software companies in Berlin' })
      .catch(() => ({ status: 0, body: { id: '' } }));
    if (status === 202) this.runs.push(body.id);
    else if (!wasOutage && !this.history.isOutage) this.history.badAnswers.push(`run: ${status}`);
    return { status };
  }

  private async timed(asked: Promise<{ status: number }>): Promise<number> {
    const from = performance.now();
    const { status } = await asked;
    this.longestMs = Math.max(this.longestMs, performance.now() - from);
    this.told[status] = (this.told[status] ?? 0) + 1;
    return status;
  }
}

/** @returns whether an address answers 200 */
export function isWell(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  return fetch(url, { headers, signal: AbortSignal.timeout(10_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Runs statements on a database of a server as its superuser. */
export async function asSuperuser(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** @returns the addresses of the gateways on the fleet's start screen */
export function gatewaysIn(screen: string): string[] {
  return /API {10}(.*(?:\n {15}http.*)*)/.exec(screen)![1]!.split(/\s+/);
}

/**
 * @returns the ports of /readyz of all processes that the fleet's start screen lists
 * @throws Error when they are not as many as it says
 */
export function plannedIn(screen: string): string[] {
  const count = Number(/Quarry is ready: (\d+) processes/.exec(screen)?.[1]);
  const [, list = ''] = screen.split('Figures and health of each process');
  const ports = [...list.matchAll(/^ {2}\S+ +http:\/\/127\.0\.0\.1:(\d+)$/gm)].map(([, port]) => port!);
  if (ports.length === 0 || ports.length !== count)
    throw new Error(`The screen lists ${ports.length} processes in place of ${count}.`);
  return ports;
}

/** @returns the parts of a scene in a folder that ends with them */
function partsIn(folder: string): StartedParts {
  const parts = new StartedParts();
  parts.add('folder', () => rmSync(folder, { recursive: true, force: true }));
  return parts;
}

function processAt(pid: number): { command: string; env: Record<string, string> } | null {
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const env = Object.fromEntries(
      pairs.map((pair) => [pair.split('=', 1)[0]!, pair.replace(/^[^=]*=/, '')]),
    );
    return { command: readFileSync(`/proc/${pid}/cmdline`, 'utf8'), env };
  } catch {
    return null; // ended meanwhile
  }
}
