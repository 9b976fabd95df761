import { createOrganisation } from '@quarry/composition';
import { QUEUES } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { QueueBus } from '@quarry/queue';
import { freePort } from '@quarry/local-postgres';
import {
  ApiClient,
  AppProcess,
  createTestDatabase,
  dropWhenLeft,
  FaultWatch,
  HeldReads,
  ProviderSimulator,
  type HeldAnswer,
  type ProcessFaults,
  type TestDatabase,
} from '@quarry/testing';
import { OwnRedis, TcpFaultProxy, waitFor } from '@quarry/test-servers';

const SECRET = 'g'.repeat(32);
const RPC_SECRETS = 'r'.repeat(32);

export const BACKENDS = ['postgres', 'redis'] as const;

export interface GatewaySceneOptions {
  gateways: number;
  /** Backend of the queues; defaults to PostgreSQL. */
  backend?: (typeof BACKENDS)[number];
  credits?: number;
  /** True to put a proxy whose network can be broken between the services and PostgreSQL. */
  isFragile?: boolean;
}

/**
 * Gateways and the services side of one worker as processes, a vendor, and all checkers. No worker takes lines unless a test
 * starts one.
 */
export class GatewayScene {
  private static readonly unclosed = new Set<GatewayScene>();
  /** Gateways that a load balancer uses: a test that removes one from here may stop it. */
  readonly gateways: Array<{ app: AppProcess; url: string }> = [];
  private readonly apps: AppProcess[] = [];
  private readonly held: HeldReads[] = [];
  private services: AppProcess | null = null;
  private watching: FaultWatch | null = null;

  private constructor(
    readonly test: TestDatabase,
    readonly apiKey: string,
    readonly orgId: string,
    readonly vendor: ProviderSimulator,
    private readonly ports: { services: number; runs: number },
    private readonly breakable: TcpFaultProxy | null,
    private readonly redis: OwnRedis | null,
  ) {}

  static async open(options: GatewaySceneOptions): Promise<GatewayScene> {
    const { gateways, credits = 100_000, isFragile, backend } = options;
    const test = await createTestDatabase();
    const { apiKey, orgId } = await createOrganisation(test.database, { name: 'Held', credits });
    const ports = { services: await freePort(), runs: await freePort() };
    const breakable = isFragile ? await TcpFaultProxy.before(test.url) : null;
    const vendor = await ProviderSimulator.start();
    const redis = backend === 'redis' ? await OwnRedis.start() : null;
    const scene = new GatewayScene(test, apiKey, orgId, vendor, ports, breakable, redis);
    // From here on a failure leaves nothing behind: the spec closes what is still open.
    GatewayScene.unclosed.add(scene);
    await scene.startServices();
    for (let i = 0; i < gateways; i += 1) scene.gateways.push(await scene.startGateway());
    const otherOrg = await createOrganisation(test.database, { name: 'Other', credits: 10 });
    scene.watching = await FaultWatch.start({
      database: test.database,
      asOwner: test.asOwner,
      apiUrl: () => scene.gateways.at(-1)!.url,
      apiKey,
      otherOrgKey: otherOrg.apiKey,
      calls: () => vendor.calls,
    });
    return scene;
  }

  /** Closes scenes that a failed test left open; for afterEach. */
  static async closeAll(): Promise<void> {
    await Promise.all([...GatewayScene.unclosed].map((scene) => scene.abandon()));
  }

  get isOpen(): boolean {
    return GatewayScene.unclosed.has(this);
  }

  get watch(): FaultWatch {
    return this.watching!;
  }

  /** Proxy between the services and PostgreSQL. @throws TypeError when the scene has none */
  get proxy(): TcpFaultProxy {
    if (!this.breakable) throw new TypeError('This scene has no proxy.');
    return this.breakable;
  }

  /** Starts the process that accepts and reads batches, in place of the previous one. */
  async startServices(faults: ProcessFaults = {}): Promise<AppProcess> {
    await this.services?.stop();
    this.services = await this.startWorker(
      {
        ...this.behindTheProxy(this.test.url),
        SERVICES_RPC: 'on',
        WORKER_QUEUES: 'none',
        RPC_PORT: String(this.ports.services),
      },
      faults,
    );
    return this.services;
  }

  async startGateway(
    env: Record<string, string> = {},
    faults: ProcessFaults = {},
  ): Promise<{ app: AppProcess; url: string }> {
    const port = await freePort();
    const services = `tcp://127.0.0.1:${this.ports.services}`;
    const variables = {
      DATABASE_URL: this.test.servingUrl,
      PORT: String(port),
      METRICS_PORT: String(await freePort()),
      TABLES_RPC_URL: services,
      RUNS_RPC_URL: `tcp://127.0.0.1:${this.ports.runs}`,
      SERVICES_RPC_URL: services,
      RATE_LIMIT_SCALE: '1000',
      SHUTDOWN_DELAY_MS: '0',
      RPC_SECRETS,
      ...env,
    };
    const app = AppProcess.start('gateway', variables, faults);
    this.apps.push(app);
    await app.printed('the gateway listens');
    return { app, url: `http://127.0.0.1:${port}` };
  }

  async startWorker(env: Record<string, string> = {}, faults: ProcessFaults = {}): Promise<AppProcess> {
    const variables = {
      DATABASE_URL: this.test.url,
      QUEUE_URL: this.queueUrl,
      CURSOR_SECRET: SECRET,
      SANDBOX: 'on',
      VENDOR_URL: this.vendor.url,
      VENDOR_KEY: this.vendor.key,
      VENDOR_SERVICES: 'getEmail',
      VENDOR_CONCURRENCY: '1000',
      DRAIN_MS: '500',
      RPC_SECRETS,
      RPC_PORT: String(await freePort()),
      ...env,
    };
    const app = AppProcess.start('jobs-worker', variables, faults);
    this.apps.push(app);
    await app.printed('queues are worked on');
    return app;
  }

  /** Starts the process that accepts runs; no agent performs them. */
  async startRuns(): Promise<AppProcess> {
    const app = AppProcess.start('runs-agent', {
      ...this.behindTheProxy(this.test.servingUrl),
      CURSOR_SECRET: SECRET,
      APP_URL: 'http://app.test',
      AGENT: 'off',
      RPC_SECRETS,
      RPC_PORT: String(this.ports.runs),
    });
    this.apps.push(app);
    await app.printed('calls are answered');
    return app;
  }

  client(gateway = this.gateways[0]!): ApiClient {
    return new ApiClient(gateway.url, this.apiKey);
  }

  /** Holds reads of the given batches on one gateway, with one connection each. @returns when all of them are held */
  async hold(url: string, batchIds: readonly string[]): Promise<Array<Promise<HeldAnswer>>> {
    const reads = new HeldReads(url, this.apiKey);
    this.held.push(reads);
    const answers = await reads.ask(batchIds.map((id) => `/v1/services/jobs/batch/${id}?wait_seconds=60`));
    // The gateway accepts these connections after those of the held reads: after the second response, all of them have arrived.
    for (let i = 0; i < 2; i += 1) await Promise.all(await reads.ask(['/credits']));
    return answers;
  }

  /** Returns the number of database connections of all processes. */
  async databaseClients(): Promise<number> {
    const row = await this.test.database.queryOne<{ n: number }>(
      systemCtx('spec'),
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name NOT LIKE 'spec%' AND backend_type = 'client backend'",
    );
    return row!.n;
  }

  /** Stops everything. @returns the findings of all checkers: an empty object when all checks pass */
  async close(): Promise<Record<string, unknown>> {
    const left = await this.drained().then(
      () => null,
      (error: Error) => error.message,
    );
    GatewayScene.unclosed.delete(this);
    // A failing checker must not leave the rest open.
    const found = await this.watching?.findings().catch((error: Error) => ({ watch: error.stack }));
    await this.end();
    return { ...found, ...(left === null ? {} : { 'messages after the last end': left }) };
  }

  /**
   * Waits for an empty queue: when every line has ended, the workers still take the remaining messages, and find nothing to do.
   */
  private async drained(): Promise<void> {
    const open = "SELECT 1 FROM jobs.jobs WHERE state IN ('queued', 'running') LIMIT 1";
    if (await this.test.database.queryOne(systemCtx('spec'), open)) return;
    const queues = await QueueBus.open(QUEUES, { url: this.queueUrl });
    try {
      const isEmpty = async () => (await queues.countWaiting('service-get-email')) === 0;
      await waitFor('the queue to be empty', isEmpty);
    } finally {
      await queues.close();
    }
  }

  /** Closes what a failed test left open, without checks. */
  private async abandon(): Promise<void> {
    GatewayScene.unclosed.delete(this);
    await Promise.all(this.apps.map((app) => app.stop('SIGKILL')));
    await this.watching?.abandon();
    await this.end();
  }

  private async end(): Promise<void> {
    for (const reads of this.held) reads.close();
    await Promise.all(this.apps.map((app) => app.stop('SIGKILL')));
    await this.vendor.stop();
    await this.breakable?.close();
    await this.redis?.stop();
    await dropWhenLeft(this.test);
  }

  private behindTheProxy(url: string): Record<string, string> {
    return { DATABASE_URL: this.breakable?.through(url) ?? url, QUEUE_URL: this.queueUrl };
  }

  private get queueUrl(): string {
    return this.redis?.url ?? this.test.url;
  }
}
