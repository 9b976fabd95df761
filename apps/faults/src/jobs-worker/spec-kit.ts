import { createOrganisation } from '@quarry/composition';
import { CreditsApiModule } from '@quarry/credit-ledger';
import { QUEUES, SERVICES_RPC } from '@quarry/dto';
import { HttpEdgeModule } from '@quarry/controllers';
import { createHttpApi, type HttpApi } from '@quarry/http';
import { createLogger, Lifecycle, systemCtx, type Ctx } from '@quarry/app';
import { openLocalCalls, PlatformModule } from '@quarry/platform';
import type { Database } from '@quarry/postgres';
import { QueueBus } from '@quarry/queue';
import type { LocalRpcTransport } from '@quarry/rpc';
import { ProvidersModule } from '@quarry/providers';
import { BatchStore, JOB_QUEUES, ServiceJobsApiModule, type Queues } from '@quarry/service-jobs';
import { freePort } from '@quarry/local-postgres';
import {
  AppProcess,
  createTestDatabase,
  dropWhenLeft,
  FaultWatch,
  OWN_CANARY,
  ProviderSimulator,
  type AllowedTraces,
  type LeaseAudit,
  type ProcessFaults,
  type ProviderCallRecord,
  type TestDatabase,
} from '@quarry/testing';
import { OwnRedis, waitFor } from '@quarry/test-servers';

const SECRET = 'c'.repeat(32);
const SYSTEM = systemCtx('fault-spec');
/** Line that a worker prints when it has started. */
export const TAKES_LINES = 'queues are worked on';
/** A fifth of the product's lease, in milliseconds: fault tests mostly wait for the end of a lease. */
export const SHORT_LEASE_MS = 6000;
/** Longest wait for lines, in milliseconds: the end of a lease and a round of the reconciler take 20 s at most. */
export const LINES_TIMEOUT_MS = 120_000;
/** Milliseconds after which the reconciler finds a lost delivery, and never before. */
const FOUND_WITHOUT_QUEUE_MS = 8000;

export const BACKENDS = ['postgres', 'redis'] as const;
export type Backend = (typeof BACKENDS)[number];

/** Runs a test with both queue backends concurrently, because it mostly waits for the end of a lease. */
export async function onBoth(test: (backend: Backend) => Promise<void>): Promise<void> {
  const outcomes = await Promise.allSettled(BACKENDS.map(test));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** The services side in this process: accepts and reads batches, but does no work. */
export interface Accepting {
  batches: BatchStore;
  rpc: LocalRpcTransport;
  close(): Promise<void>;
}

export async function openAccepting(database: Database, queues: Queues): Promise<Accepting> {
  const { rpc, get, close } = await openLocalCalls({
    database,
    queues,
    cursorSecret: SECRET,
    modules: [ProvidersModule.forRoot({ sandbox: true }), ServiceJobsApiModule, CreditsApiModule],
    apis: [SERVICES_RPC],
  });
  return { batches: get(BatchStore), rpc, close };
}

/** Starts the public edge in front of it. */
async function openEdge(database: Database, rpc: LocalRpcTransport): Promise<{ api: HttpApi; port: number }> {
  const logger = createLogger('fault-spec', 'silent');
  class EdgeModule {}
  const api = await createHttpApi(
    {
      module: EdgeModule,
      imports: [
        PlatformModule.forRoot({ life: new Lifecycle(() => undefined), logger, database }),
        HttpEdgeModule.forRoot({
          rpc,
          redisUrl: null,
          rateLimitScale: 1000,
          trustedProxies: [],
          allowedOrigins: [],
          toolSecrets: ['of the specs, 32 characters or more'],
        }),
      ],
    },
    { logger },
  );
  return { api, port: await api.listen(0, '127.0.0.1') };
}

export interface SceneOptions {
  backend: Backend;
  credits?: number;
  redisSettings?: readonly string[];
  leaseMs?: number;
  sampleEveryMs?: number;
  /** Returns the calls that the test itself answers, instead of the vendor. */
  calls?: () => readonly ProviderCallRecord[];
}

export interface WorkerOptions extends ProcessFaults {
  databaseUrl?: string;
  queueUrl?: string;
  env?: Record<string, string>;
}

/**
 * Workers as processes with their own database and vendor, one organisation that sends requests over HTTP, and all checkers.
 */
export class FaultScene {
  private static readonly unclosed = new Set<FaultScene>();
  readonly workers: AppProcess[] = [];
  private readonly started: AppProcess[] = [];
  private requests = 0;
  private sent = 0;

  private constructor(
    readonly test: TestDatabase,
    readonly redis: OwnRedis | null,
    readonly queues: QueueBus<typeof QUEUES>,
    readonly accept: Accepting,
    private readonly edge: { api: HttpApi; port: number },
    readonly ctx: Ctx,
    readonly watch: FaultWatch,
    readonly vendor: ProviderSimulator,
    private readonly leaseMs: number,
    private readonly apiKey: string,
  ) {}

  static async open(options: SceneOptions): Promise<FaultScene> {
    const test = await createTestDatabase();
    const { database } = test;
    const redis = options.backend === 'redis' ? await OwnRedis.start(options.redisSettings) : null;
    const queues = await QueueBus.open(QUEUES, { url: redis?.url ?? test.url });
    const accept = await openAccepting(database, queues);
    const { orgId, apiKey } = await createOrganisation(database, {
      name: 'Faults',
      credits: options.credits ?? 100_000,
    });
    const edge = await openEdge(database, accept.rpc);
    const vendor = await ProviderSimulator.start();
    const otherOrg = await createOrganisation(database, { name: 'Other', credits: 10 });
    const watch = await FaultWatch.start({
      database,
      asOwner: test.asOwner,
      apiUrl: () => `http://127.0.0.1:${edge.port}`,
      apiKey,
      otherOrgKey: otherOrg.apiKey,
      calls: options.calls ?? (() => vendor.calls),
      sampleEveryMs: options.sampleEveryMs,
    });
    await test.asOwner(`CREATE VIEW audit.own_lines AS SELECT * FROM jobs.jobs WHERE org_id = '${orgId}'`);
    const ctx = systemCtx('fault-spec', orgId);
    const leaseMs = options.leaseMs ?? SHORT_LEASE_MS;
    const scene = new FaultScene(test, redis, queues, accept, edge, ctx, watch, vendor, leaseMs, apiKey);
    FaultScene.unclosed.add(scene);
    return scene;
  }

  /** Closes scenes that a failed test left open; for afterEach. */
  static async closeAll(): Promise<void> {
    await Promise.all([...FaultScene.unclosed].map((scene) => scene.abandon()));
  }

  get queueUrl(): string {
    return this.redis?.url ?? this.test.url;
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.edge.port}`;
  }

  /** @returns the status of a request of the organisation, which no checker evaluates */
  async get(path: string): Promise<number> {
    const headers = { authorization: `Bearer ${this.apiKey}` };
    return (await fetch(`${this.apiUrl}${path}`, { headers })).status;
  }

  get isOpen(): boolean {
    return FaultScene.unclosed.has(this);
  }

  get audit(): LeaseAudit {
    return this.watch.audit;
  }

  /** Starts a worker and waits until it takes lines. */
  async startWorker(options: WorkerOptions = {}): Promise<AppProcess> {
    const worker = await this.spawnWorker(options);
    await worker.printed(TAKES_LINES);
    return worker;
  }

  /** Starts a worker that may die before it takes a line. @throws Error when the scene is closed */
  async spawnWorker(options: WorkerOptions = {}): Promise<AppProcess> {
    const { databaseUrl = this.test.url, queueUrl = this.queueUrl, env = {}, ...faults } = options;
    const port = await freePort();
    if (!FaultScene.unclosed.has(this)) throw new Error('This scene is over.');
    const worker = AppProcess.start(
      'jobs-worker',
      {
        DATABASE_URL: databaseUrl,
        QUEUE_URL: queueUrl,
        CURSOR_SECRET: SECRET,
        SANDBOX: 'on',
        VENDOR_URL: this.vendor.url,
        VENDOR_KEY: this.vendor.key,
        VENDOR_SERVICES: 'getEmail',
        VENDOR_CONCURRENCY: '1000',
        DRAIN_MS: '500',
        LEASE_MS: String(this.leaseMs),
        RPC_PORT: String(port),
        LOG_LEVEL: 'info',
        ...env,
      },
      faults,
    );
    this.workers.push(worker);
    this.started.push(worker);
    return worker;
  }

  /** Returns new people whose lookups take a number of seconds. */
  people(count: number, seconds = 1): Array<Record<string, unknown>> {
    return Array.from({ length: count }, () => this.person(seconds === 0 ? 'ok' : `slow-${seconds}s`));
  }

  /** Returns new people whose lookups last until `vendor.release()`. */
  heldPeople(count: number): Array<Record<string, unknown>> {
    return Array.from({ length: count }, () => this.person('held'));
  }

  /** Returns a new person whose lookup triggers a behaviour of the vendor. */
  person(behaviour: string): Record<string, unknown> {
    return { first_name: `P${++this.requests}`, last_name: OWN_CANARY, domain: `${behaviour}.vendor.test` };
  }

  /** @returns the id of the batch. @throws Error when it was not accepted */
  async send(inputs: Array<Record<string, unknown>>, service = 'getEmail'): Promise<string> {
    const { batchId, status } = await this.watch.own.send(`scene-${++this.sent}`, inputs, service);
    if (batchId === null) throw new Error(`The list was answered ${status}.`);
    return batchId;
  }

  /** Returns one row. SQL can use `audit.own_lines`: the lines of the organisation, without those of the other one. */
  async one<T>(sql: string, params: unknown[] = []): Promise<T> {
    return (await this.test.database.queryOne(SYSTEM, sql, params)) as T;
  }

  async all<T>(sql: string, params: unknown[] = []): Promise<T[]> {
    return (await this.test.database.query(SYSTEM, sql, params)) as T[];
  }

  async count(condition: string): Promise<number> {
    return (
      await this.one<{ n: number }>(`SELECT count(*)::int AS n FROM audit.own_lines WHERE ${condition}`)
    ).n;
  }

  async states(): Promise<Record<string, number>> {
    const rows = await this.all<{ state: string; n: number }>(
      'SELECT state, count(*)::int AS n FROM audit.own_lines GROUP BY state',
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  }

  /** @returns the organisation's live account, in thousandths of a credit */
  account(): Promise<{ available: number; reserved: number; spent: number }> {
    return this.one(
      "SELECT available::int, reserved::int, spent::int FROM credits.accounts WHERE org_id = $1 AND mode = 'live'",
      [this.ctx.orgId],
    );
  }

  /** @returns the log lines of all workers that contain a text */
  logged(text: string): string[] {
    return this.workers.flatMap((worker) => worker.output.split('\n').filter((line) => line.includes(text)));
  }

  /** Waits until a condition holds for at least so many lines. */
  async until(condition: string, least: number): Promise<void> {
    const isMet = async () => (await this.count(condition)) >= least;
    await waitFor(`${least} lines with ${condition}`, isMet, LINES_TIMEOUT_MS);
  }

  /** Sends lines one by one until one starts so early that only the queue can have delivered it. */
  async queueCarries(): Promise<void> {
    await waitFor(
      'the queue to carry a line',
      async () => {
        const batchId = await this.send(this.people(1, 0));
        await this.allEnded();
        const { ms } = await this.one<{ ms: number }>(
          `SELECT (extract(epoch FROM started_at - created_at) * 1000)::int AS ms
         FROM audit.own_lines WHERE batch_id = $1`,
          [batchId],
        );
        return ms < FOUND_WITHOUT_QUEUE_MS;
      },
      LINES_TIMEOUT_MS,
    );
  }

  async allEnded(timeoutMs = LINES_TIMEOUT_MS): Promise<void> {
    await waitFor(
      'every line to end',
      async () => (await this.count("state IN ('queued', 'running')")) === 0,
      timeoutMs,
    ).catch(async (error: Error) => {
      throw new Error(`${error.message} ${JSON.stringify(await this.states())}`, { cause: error });
    });
  }

  /** @returns the number of searches that were charged more than once per find, which must be zero */
  async doubleCharges(): Promise<number> {
    const row = await this.one<{ n: number }>(
      `SELECT count(*)::int AS n FROM (SELECT 1 FROM credits.transfers WHERE kind = 'post' GROUP BY job_id HAVING count(*) > 1) d`,
    );
    return row.n;
  }

  /** Waits until no message of an ended line is left; a running worker takes them. */
  async queueIsEmpty(timeoutMs = LINES_TIMEOUT_MS): Promise<void> {
    await waitFor(
      'the queue to be empty',
      async () => (await this.queues.countMessages('service-get-email')) === 0,
      timeoutMs,
    );
  }

  /** Delivers every line again, and waits until a running worker has taken it. One message may be locked by a dead worker. */
  async deliverAgain(): Promise<void> {
    const lines = await this.all<{ id: string }>('SELECT id FROM audit.own_lines');
    await this.queues.addMessages(
      'service-get-email',
      lines.map(({ id }) => ({ jobIds: [id] })),
    );
    await waitFor(
      'the repeats to be taken',
      async () => (await this.queues.countMessages('service-get-email')) <= 1,
    );
  }

  /** Changes rows as the product never does, to simulate a state that takes weeks; the checkers are paused meanwhile. */
  stage(sql: string): Promise<void> {
    return this.watch.unwatched(() => this.all(sql));
  }

  /** Stops everything. @returns the findings of all checkers: an empty object when all checks pass */
  async close(allowed: AllowedTraces = {}): Promise<Record<string, unknown>> {
    const left = await this.drained().then(
      () => null,
      (error: Error) => error.message,
    );
    FaultScene.unclosed.delete(this);
    await Promise.all(this.started.map((worker) => worker.stop('SIGKILL')));
    // A failing checker must not leave the rest open.
    const found = await this.watch.findings(allowed).catch((error: Error) => ({ watch: error.stack }));
    await this.end();
    return { ...found, ...(left === null ? {} : { 'messages after the last end': left }) };
  }

  /** Closes what a failed test left open, without checks. */
  private async abandon(): Promise<void> {
    FaultScene.unclosed.delete(this);
    await Promise.all(this.started.map((worker) => worker.stop('SIGKILL')));
    // A test may have paused Redis, which would block a stop.
    this.redis?.resume();
    await this.watch.abandon();
    await this.end();
  }

  private async end(): Promise<void> {
    await this.edge.api.close();
    await this.accept.close();
    await this.queues.close();
    await this.redis?.stop();
    await this.vendor.stop();
    await dropWhenLeft(this.test);
  }

  /**
   * Waits for an empty queue: when every line has ended, a running worker takes the remaining messages without an effect.
   * Messages of a dead worker come back later than a test can wait.
   */
  private async drained(): Promise<void> {
    if ((await this.count("state IN ('queued', 'running')")) > 0) return;
    // A Redis that has just come back may not accept requests yet.
    const isEmpty = () =>
      Promise.all(JOB_QUEUES.map((name) => this.queues.countWaiting(name))).then(
        (counts) => counts.every((count) => count === 0),
        () => false,
      );
    if (await isEmpty()) return;
    if (this.started.every(({ hasEnded }) => hasEnded)) await this.startWorker();
    await waitFor('the queue to be empty', isEmpty);
  }
}
