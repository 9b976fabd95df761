import { batchPart, createOrganisation, searchPart, type BatchPart } from '@quarry/composition';
import { QUEUES } from '@quarry/dto';
import { freePort, QueueBus, systemCtx, type Ctx } from '@quarry/platform';
import {
  AppProcess,
  brokenInvariants,
  createTestDatabase,
  LeaseAudit,
  OwnRedis,
  ProviderSimulator,
  StateSampler,
  waitFor,
  type ProcessFaults,
  type TestDatabase,
} from '@quarry/testing';

const SECRET = 'c'.repeat(32);
const SYSTEM = systemCtx('fault-spec');
/** A fifth of the product's: what a fault test waits for is mostly the end of a lease. */
export const SHORT_LEASE_MS = 6000;
/** Lease, silence of a delivery (8 s) and the reconciler's round (3 s), with room for a busy machine. */
export const SHORT_RECOVERY_MS = 30_000;

export interface SceneOptions {
  backend: 'postgres' | 'redis';
  credits?: number;
  redisSettings?: readonly string[];
  leaseMs?: number;
  /** Lines meet a vendor over HTTP, with a log of every call, instead of the sandbox. */
  withVendor?: boolean;
  sampleEveryMs?: number;
}

export interface WorkerOptions extends ProcessFaults {
  databaseUrl?: string;
  queueUrl?: string;
  env?: Record<string, string>;
}

/**
 * Workers as processes over a database of their own, one organisation, and everybody who watches: the sampler from
 * the start, the audit of leases, and the checker at the end.
 */
export class FaultScene {
  private static readonly unclosed = new Set<FaultScene>();
  readonly workers: AppProcess[] = [];
  private asked = 0;

  private constructor(
    readonly test: TestDatabase,
    readonly redis: OwnRedis | null,
    readonly queues: QueueBus<typeof QUEUES>,
    readonly accept: BatchPart,
    readonly ctx: Ctx,
    readonly audit: LeaseAudit,
    private readonly sampler: StateSampler,
    private readonly leaseMs: number,
    private readonly simulator: ProviderSimulator | null,
  ) {}

  static async open(options: SceneOptions): Promise<FaultScene> {
    const test = await createTestDatabase();
    const { database } = test;
    const redis = options.backend === 'redis' ? await OwnRedis.start(options.redisSettings) : null;
    const queues = await QueueBus.open(QUEUES, { url: redis?.url ?? test.url });
    const accept = batchPart({ database, queues, search: searchPart(true), cursorSecret: SECRET });
    const { orgId } = await createOrganisation(database, {
      name: 'Faults',
      credits: options.credits ?? 100_000,
    });
    const scene = new FaultScene(
      test,
      redis,
      queues,
      accept,
      systemCtx('fault-spec', orgId),
      await LeaseAudit.install(database),
      new StateSampler(database, options.sampleEveryMs).start(),
      options.leaseMs ?? SHORT_LEASE_MS,
      options.withVendor ? await ProviderSimulator.start() : null,
    );
    FaultScene.unclosed.add(scene);
    return scene;
  }

  /** Ends what a failed test left; for afterEach. */
  static async closeAll(): Promise<void> {
    await Promise.all([...FaultScene.unclosed].map((scene) => scene.close()));
  }

  get queueUrl(): string {
    return this.redis?.url ?? this.test.url;
  }

  /** @throws TypeError when the scene has none */
  get vendor(): ProviderSimulator {
    if (!this.simulator) throw new TypeError('This scene has no vendor.');
    return this.simulator;
  }

  private source(): Record<string, string> {
    if (!this.simulator) return { SANDBOX: 'on' };
    const { url, key } = this.simulator;
    return { VENDOR_URL: url, VENDOR_KEY: key, VENDOR_SERVICES: 'getEmail', VENDOR_CONCURRENCY: '200' };
  }

  /** Starts a worker and waits until it takes lines. */
  async startWorker(options: WorkerOptions = {}): Promise<AppProcess> {
    const { databaseUrl = this.test.url, queueUrl = this.queueUrl, env = {}, ...faults } = options;
    const worker = AppProcess.start(
      'jobs-worker',
      {
        DATABASE_URL: databaseUrl,
        QUEUE_URL: queueUrl,
        CURSOR_SECRET: SECRET,
        ...this.source(),
        DRAIN_MS: '500',
        LEASE_MS: String(this.leaseMs),
        RPC_PORT: String(await freePort()),
        LOG_LEVEL: 'info',
        ...env,
      },
      faults,
    );
    await worker.printed('lines are worked on');
    this.workers.push(worker);
    return worker;
  }

  /** People whom nobody has asked for, at a domain whose lookup takes so many seconds. */
  people(count: number, seconds = 1): Array<Record<string, unknown>> {
    return Array.from({ length: count }, () => ({
      first_name: `P${++this.asked}`,
      last_name: 'Doe',
      domain: this.simulator
        ? `${seconds === 0 ? 'ok' : `slow-${seconds}s`}.vendor.test`
        : seconds === 0
          ? 'acme.example'
          : `slow-${seconds}s.sandbox.test`,
    }));
  }

  async send(inputs: Array<Record<string, unknown>>): Promise<string> {
    return (await this.accept.batches.create(this.ctx, { service: 'getEmail', inputs })).batchId;
  }

  async one<T>(sql: string, params: unknown[] = []): Promise<T> {
    return (await this.test.database.queryOne(SYSTEM, sql, params)) as T;
  }

  async all<T>(sql: string, params: unknown[] = []): Promise<T[]> {
    return (await this.test.database.query(SYSTEM, sql, params)) as T[];
  }

  async count(condition: string): Promise<number> {
    return (await this.one<{ n: number }>(`SELECT count(*)::int AS n FROM jobs.jobs WHERE ${condition}`)).n;
  }

  async states(): Promise<Record<string, number>> {
    const rows = await this.all<{ state: string; n: number }>(
      'SELECT state, count(*)::int AS n FROM jobs.jobs GROUP BY state',
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  }

  /** @returns the lines that workers logged with such a text */
  logged(text: string): string[] {
    return this.workers.flatMap((worker) => worker.output.split('\n').filter((line) => line.includes(text)));
  }

  /** Waits until a condition on lines holds for so many of them. */
  async until(condition: string, least: number, timeoutMs = 20_000): Promise<void> {
    await waitFor(
      `${least} lines with ${condition}`,
      async () => (await this.count(condition)) >= least,
      timeoutMs,
    );
  }

  async allEnded(timeoutMs: number): Promise<void> {
    await waitFor(
      'every line to end',
      async () => (await this.count("state IN ('queued', 'running')")) === 0,
      timeoutMs,
    ).catch(async (error: Error) => {
      throw new Error(`${error.message} ${JSON.stringify(await this.states())}`, { cause: error });
    });
  }

  /** @returns searches that were charged more than one per find: what must never be */
  async doubleCharges(): Promise<number> {
    const row = await this.one<{ n: number }>(
      `SELECT count(*)::int AS n FROM (SELECT 1 FROM credits.transfers WHERE kind = 'post' GROUP BY job_id HAVING count(*) > 1) d`,
    );
    return row.n;
  }

  /** Waits until no message is left for lines that have ended; a living worker takes them. */
  async queueIsEmpty(timeoutMs = 20_000): Promise<void> {
    await waitFor(
      'the queue to be empty',
      async () => (await this.queues.depth('service-get-email')) === 0,
      timeoutMs,
    );
  }

  /** Delivers every line once more, and waits until a living worker has taken that. One message may be a dead worker's. */
  async deliverAgain(): Promise<void> {
    const lines = await this.all<{ id: string }>('SELECT id FROM jobs.jobs');
    await this.queues.add(
      'service-get-email',
      lines.map(({ id }) => ({ jobIds: [id] })),
    );
    await waitFor('the repeats to be taken', async () => (await this.queues.depth('service-get-email')) <= 1);
  }

  /** Changes rows as no product may, to stage what took weeks; nobody watches meanwhile. */
  stage(sql: string): Promise<void> {
    return this.sampler.unwatched(() => this.all(sql));
  }

  /** Ends everything. @returns what the checker, the sampler and the audit found: an empty object when all held */
  async close(): Promise<Record<string, unknown>> {
    FaultScene.unclosed.delete(this);
    await Promise.all(this.workers.splice(0).map((worker) => worker.stop('SIGKILL')));
    this.accept.close();
    const moved = await this.sampler.stop();
    const stale = await this.audit.staleWrites();
    const stolen = await this.audit.stolenLeases();
    const broken = await brokenInvariants(this.test.database);
    await this.queues.close();
    await this.redis?.stop();
    await this.simulator?.stop();
    await this.dropWhenFree();
    return {
      ...broken,
      ...(moved.length > 0 ? { 'seen by the sampler': moved } : {}),
      ...(stolen > 0 ? { 'leases given while another stood': stolen } : {}),
      ...(stale.accepted > 0 ? { 'writes with a superseded token': stale } : {}),
    };
  }

  /** Connections of killed processes end a moment after them. */
  private async dropWhenFree(): Promise<void> {
    await waitFor('connections to end', async () => {
      const row = await this.one<{ others: number }>(
        "SELECT count(*)::int AS others FROM pg_stat_activity WHERE datname = current_database() AND application_name NOT LIKE 'spec%'",
      );
      return row.others === 0;
    });
    await this.test.drop();
  }
}
