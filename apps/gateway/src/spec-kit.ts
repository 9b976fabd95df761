import { request, Agent } from 'node:http';
import { createOrganisation } from '@quarry/composition';
import { freePort, systemCtx } from '@quarry/platform';
import {
  ApiClient,
  AppProcess,
  createTestDatabase,
  TcpFaultProxy,
  waitFor,
  type TestDatabase,
} from '@quarry/testing';

const SECRET = 'g'.repeat(32);

/** How a read that was held came back. */
export interface HeldAnswer {
  /** 0 when the connection broke. */
  status: number;
  body: { status?: string; jobs?: Array<{ completed_at: string | null }> };
  /** By the wall clock and by the monotonic one. */
  at: number;
  atMs: number;
}

/** Gateways over the services side of one worker, as processes. No worker takes lines unless it is asked for. */
export class GatewayScene {
  readonly gateways: Array<{ app: AppProcess; url: string }> = [];
  private readonly apps: AppProcess[] = [];
  private readonly agents: Agent[] = [];

  private constructor(
    readonly test: TestDatabase,
    readonly apiKey: string,
    readonly orgId: string,
    private readonly servicesPort: number,
    /** Between the services side and PostgreSQL. */
    readonly proxy: TcpFaultProxy,
  ) {}

  static async open(gateways: number, credits = 100_000): Promise<GatewayScene> {
    const test = await createTestDatabase();
    const { apiKey, orgId } = await createOrganisation(test.database, { name: 'Held', credits });
    const scene = new GatewayScene(
      test,
      apiKey,
      orgId,
      await freePort(),
      await TcpFaultProxy.before(test.url),
    );
    await scene.startWorker({
      DATABASE_URL: scene.proxy.through(test.url),
      QUEUE_URL: test.url,
      SERVICES_RPC: 'on',
      WORKER_QUEUES: 'none',
      RPC_PORT: String(scene.servicesPort),
    });
    for (let i = 0; i < gateways; i += 1) scene.gateways.push(await scene.startGateway());
    return scene;
  }

  async startGateway(): Promise<{ app: AppProcess; url: string }> {
    const port = await freePort();
    const services = `tcp://127.0.0.1:${this.servicesPort}`;
    const app = AppProcess.start('gateway', {
      DATABASE_URL: this.test.url,
      PORT: String(port),
      METRICS_PORT: String(await freePort()),
      TABLES_RPC_URL: services,
      RUNS_RPC_URL: services,
      SERVICES_RPC_URL: services,
      RATE_LIMIT_SCALE: '1000',
    });
    await app.printed('the gateway listens');
    this.apps.push(app);
    return { app, url: `http://127.0.0.1:${port}` };
  }

  async startWorker(env: Record<string, string> = {}): Promise<AppProcess> {
    const app = AppProcess.start('jobs-worker', {
      DATABASE_URL: this.test.url,
      CURSOR_SECRET: SECRET,
      SANDBOX: 'on',
      DRAIN_MS: '500',
      RPC_PORT: String(await freePort()),
      ...env,
    });
    await app.printed('lines are worked on');
    this.apps.push(app);
    return app;
  }

  client(gateway = this.gateways[0]!): ApiClient {
    return new ApiClient(gateway.url, this.apiKey);
  }

  /** Holds reads of the given lists on one gateway, a connection each. @returns when all of them are held */
  async hold(url: string, batchIds: readonly string[]): Promise<Array<Promise<HeldAnswer>>> {
    const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
    this.agents.push(agent);
    const reads = batchIds.map((id) =>
      this.read(agent, `${url}/v1/services/jobs/batch/${id}?wait_seconds=60`),
    );
    await Promise.all(reads.map(({ sent }) => sent));
    // Comes after them in the gateway's own order, twice over: behind its answer they are all on their way.
    for (let i = 0; i < 2; i += 1) await fetch(`${url}/credits`, { headers: this.headers });
    return reads.map(({ answer }) => answer);
  }

  /** Connections to the database of all its processes. */
  async databaseClients(): Promise<number> {
    const row = await this.test.database.queryOne<{ n: number }>(
      systemCtx('spec'),
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name NOT LIKE 'spec%' AND backend_type = 'client backend'",
    );
    return row!.n;
  }

  async close(): Promise<void> {
    for (const agent of this.agents) agent.destroy();
    await Promise.all(this.apps.map((app) => app.stop('SIGKILL')));
    await this.proxy.close();
    await waitFor('connections to end', async () => (await this.databaseClients()) === 0);
    await this.test.drop();
  }

  private get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.apiKey}` };
  }

  private read(agent: Agent, url: string): { sent: Promise<void>; answer: Promise<HeldAnswer> } {
    const broken = (): HeldAnswer => ({ status: 0, body: {}, at: Date.now(), atMs: performance.now() });
    const call = request(url, { agent, headers: this.headers });
    const sent = new Promise<void>((resolve) => {
      call.once('finish', resolve).once('error', () => resolve());
    });
    const answer = new Promise<HeldAnswer>((resolve) => {
      call.once('error', () => resolve(broken()));
      call.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.once('error', () => resolve(broken()));
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text) as HeldAnswer['body'],
            at: Date.now(),
            atMs: performance.now(),
          }),
        );
      });
    });
    call.end();
    return { sent, answer };
  }
}
