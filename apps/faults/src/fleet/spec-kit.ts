import { createOrganisation } from '@quarry/composition';
import { auditLedger } from '@quarry/credit-ledger';
import { systemCtx } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { PostgresServer } from '@quarry/local-postgres';
import {
  AppProcess,
  brokenAttempts,
  brokenInvariants,
  descendantsOf,
  isRunning,
  LeaseAudit,
  ProviderSimulator,
} from '@quarry/testing';
import { onAdmin, OwnRedis, TcpFaultProxy, waitFor } from '@quarry/test-servers';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FleetLoad } from './fleet-load.fixture.js';
import { portsOfLiving, processesOf, type FleetProcess, type Kind } from './fleet-processes.fixture.js';
import { gatewaysIn, plannedIn, READY, READY_MS } from './fleet-screen.fixture.js';
import { partsIn, StartedParts } from './started-parts.fixture.js';

/** Milliseconds. A line whose worker is lost takes its lease and a round of the reconciler, 45 s; a lost line never ends. */
const ENDS_WITHIN_MS = 240_000;
/** Settings of a PostgreSQL for a dozen processes. */
export const FLEET_SERVER_SETTINGS = ['max_connections=400'];
const SYSTEM = systemCtx('fleet-spec');

export interface FleetOptions {
  env?: Record<string, string>;
  /** Folder of the cluster; defaults to a folder of the scene. */
  cluster?: { dir: string };
}

/**
 * A fleet as `npm run fleet` starts it, with its own PostgreSQL and Redis behind proxies whose network can be broken, and a
 * vendor that answers getEmail and records every call.
 */
export class FleetScene {
  private readonly loads: FleetLoad[] = [];
  gateways: string[] = [];
  apiKey = '';

  private constructor(
    readonly app: AppProcess,
    public server: PostgresServer,
    /** Proxy between the fleet and PostgreSQL. */
    readonly postgresProxy: TcpFaultProxy,
    readonly redis: OwnRedis,
    /** Proxy between the fleet and Redis. */
    readonly redisProxy: TcpFaultProxy,
    readonly vendor: ProviderSimulator,
    /** Direct connection to PostgreSQL, without the proxy. */
    readonly database: Database,
    readonly audit: LeaseAudit,
    private readonly parts: StartedParts,
    private readonly cluster: { dir: string },
  ) {
    // A test may replace the server, so the one to stop is looked up at the end.
    parts.add('server', () => this.server.stop());
    parts.add('loads', () => Promise.all(this.loads.map((load) => load.stop())));
  }

  static async open(options: FleetOptions = {}): Promise<FleetScene> {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-fleet-faults-'));
    const parts = partsIn(folder);
    const cluster = options.cluster ?? { dir: join(folder, 'postgres') };
    const server = await PostgresServer.start({ ...cluster, settings: FLEET_SERVER_SETTINGS });
    parts.add('server', () => server.stop());
    await onAdmin(server.url('postgres'), 'CREATE DATABASE quarry');
    return FleetScene.assemble(parts, server, folder, cluster, options);
  }

  /** Starts a fleet over a server with a database `quarry`, empty or restored. The scene closes server and folder. */
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
      // A test may have paused Redis, which would block a stop.
      redis.resume();
      await app.stop('SIGKILL');
      for (const pid of below.filter(isRunning)) process.kill(pid, 'SIGKILL');
    });
    await app.printed(READY, READY_MS);
    const database = await Database.open({ url, applicationName: 'spec', connectMs: 60_000 });
    parts.add('connections', () => database.close());
    const audit = await LeaseAudit.install(database, (sql) => onAdmin(url, sql));
    const running = [app, server, postgresProxy, redis, redisProxy, vendor, database, audit] as const;
    const scene = new FleetScene(...running, parts, cluster);
    scene.gateways = gatewaysIn(app.output);
    scene.apiKey = (await createOrganisation(database, { name: 'Fleet', credits: 100_000 })).apiKey;
    return scene;
  }

  /** Closes scenes that a failed test or a failed opening left open. */
  static closeAll(): Promise<void> {
    return StartedParts.closeAll();
  }

  /** Starts a steady load of reads, batches and runs on both gateways in turn. */
  load(): FleetLoad {
    const load = new FleetLoad(this.gateways, this.apiKey);
    this.loads.push(load);
    return load;
  }

  /** Starts PostgreSQL again at the same place. */
  async restartServer(): Promise<void> {
    const { port } = this.server;
    this.server = await PostgresServer.start({ ...this.cluster, port, settings: FLEET_SERVER_SETTINGS });
  }

  /** @returns the running processes of a kind */
  processesOf(kind: Kind): FleetProcess[] {
    return processesOf(kind, this.app.pid);
  }

  /** Returns the number of times that a process of the fleet has ended although the fleet was not stopped. */
  get crashes(): number {
    return this.app.output.match(/it is started again in/g)?.length ?? 0;
  }

  /** @returns whether every planned process of the fleet is running and ready, exactly once */
  async isReady(): Promise<boolean> {
    const planned = plannedIn(this.app.output);
    const living = portsOfLiving(this.app.pid);
    if (living.length !== planned.length || !planned.every((port) => living.includes(port))) return false;
    const answers = await Promise.all(planned.map((port) => isWell(`http://127.0.0.1:${port}/readyz`)));
    return answers.every(Boolean);
  }

  async one<T>(sql: string, params: unknown[] = []): Promise<T> {
    return (await this.database.queryOne(SYSTEM, sql, params)) as T;
  }

  /** @returns the longest time without the end of a line since a time of the server's clock, in milliseconds */
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
   * Waits until every line and every run has ended, and checks the result.
   * @param hasSeenAll whether the vendor and the audit have seen all lines; false for a restored database
   * @returns findings by name: an empty object when all checks pass
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

/** @returns whether an address answers with 200 */
export function isWell(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  return fetch(url, { headers, signal: AbortSignal.timeout(10_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
