import { afterEach, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { newId, systemCtx } from '@quarry/app';
import { freePort } from '@quarry/local-postgres';
import { AppProcess, createTestDatabase, dropWhenLeft, type TestDatabase } from '@quarry/testing';
import { printMeasurement, TcpBalancer } from '@quarry/test-servers';
import { Agent, request } from 'node:http';

export const SERVICES = ['tables', 'runs-agent', 'jobs-worker', 'gateway'] as const;
export type Service = (typeof SERVICES)[number];

const CURSOR_SECRET = 'c'.repeat(32);
/** Milliseconds between two requests of a client. Accepted lines are also worked on, which must not overload the machine. */
const PAUSE_MS = { light: 20, work: 200 };
/** Milliseconds between a balancer's health checks of a gateway. */
const PROBE_MS = 50;

interface Instance {
  app: AppProcess;
  port: number;
}

/** A service with one or two processes behind a balancer. */
interface Fleet {
  instances: Instance[];
  balancer: TcpBalancer;
}

/** A release that a scene starts with and replaces with this one. */
export interface VersionBefore {
  /** Folder of its build. */
  checkout: string;
  /** @returns a database with the schema of the release */
  openDatabase: () => Promise<TestDatabase>;
  /** Migrates the schema to this version while processes of the release run. */
  migrate: (test: TestDatabase) => Promise<unknown>;
}

/**
 * The product with one process per service, each behind a plain TCP balancer, while clients read and write continuously: over
 * kept-alive connections, and with one connection per request.
 */
export class RolloutScene {
  private static readonly unclosed = new Set<RolloutScene>();
  private readonly fleets = new Map<Service, Fleet>();
  private readonly started: AppProcess[] = [];
  private readonly asking: Clients[] = [];
  private probing: Promise<void> = Promise.resolve();
  private isOver = false;
  private apiKey = '';

  private constructor(
    readonly test: TestDatabase,
    private readonly rpc: Record<string, string>,
  ) {}

  /**
   * @param rpc variables that secure the calls between the processes
   * @param before the version that the processes start with; by default this one, with its own schema
   */
  static async open(
    rpc: Record<string, string> = { RPC_SECRETS: 'r'.repeat(32) },
    before?: VersionBefore,
  ): Promise<RolloutScene> {
    const test = await (before?.openDatabase() ?? createTestDatabase());
    const scene = new RolloutScene(test, rpc);
    RolloutScene.unclosed.add(scene);
    for (const service of SERVICES) {
      const balancer = await TcpBalancer.before([]);
      scene.fleets.set(service, { instances: [], balancer });
    }
    for (const service of SERVICES) await scene.add(service, before?.checkout);
    await before?.migrate(test);
    scene.apiKey = (await createOrganisation(test.database, { name: 'Rollout', credits: 1_000_000 })).apiKey;
    scene.probing = scene.probe();
    return scene;
  }

  /** Closes scenes that a failed test left open; for afterEach. */
  static async closeAll(): Promise<void> {
    await Promise.all([...RolloutScene.unclosed].map((scene) => scene.close()));
  }

  get url(): string {
    return `http://127.0.0.1:${this.fleets.get('gateway')!.balancer.port}`;
  }

  /** Starts a further process of this version, and stops the previous one as an orchestrator does. */
  async replace(service: Service): Promise<{ exit: number | null; stopMs: number }> {
    const { instances } = this.fleets.get(service)!;
    const leaving = instances[0]!;
    await this.add(service);
    const askedAt = performance.now();
    const exit = await leaving.app.stop('SIGTERM');
    const stopMs = Math.round(performance.now() - askedAt);
    instances.splice(instances.indexOf(leaving), 1);
    if (service !== 'gateway') this.tell(service);
    return { exit, stopMs };
  }

  clients(): Clients {
    const clients = new Clients(this.url, this.apiKey);
    this.asking.push(clients);
    return clients;
  }

  async count(sql: string, params: unknown[] = []): Promise<number> {
    return (await this.test.database.queryOne<{ n: number }>(systemCtx('spec'), sql, params))!.n;
  }

  async close(): Promise<void> {
    RolloutScene.unclosed.delete(this);
    this.isOver = true;
    await Promise.all([this.probing, ...this.asking.map((clients) => clients.stop())]);
    await Promise.all(this.started.map((app) => app.stop('SIGKILL')));
    for (const { balancer } of this.fleets.values()) balancer.close();
    await dropWhenLeft(this.test);
  }

  private async add(service: Service, checkout?: string): Promise<void> {
    const port = await freePort();
    const app = AppProcess.start(service, this.environmentOf(service, port), {}, checkout);
    this.started.push(app);
    await app.printed(service === 'gateway' ? 'the gateway listens' : 'calls are answered');
    this.fleets.get(service)!.instances.push({ app, port });
    this.tell(service);
  }

  /** Updates a service's balancer, which happens late: until then it finds out by refused connections. */
  private tell(service: Service): void {
    const { balancer, instances } = this.fleets.get(service)!;
    balancer.use(instances.map(({ port }) => ({ host: '127.0.0.1', port })));
  }

  /** Removes gateways that are not ready from their balancer, as HTTP balancers do. */
  private async probe(): Promise<void> {
    const { balancer, instances } = this.fleets.get('gateway')!;
    while (!this.isOver) {
      const targets = [...instances];
      const isReady = await Promise.all(
        targets.map(({ port }) =>
          fetch(`http://127.0.0.1:${port}/readyz`).then(
            ({ status }) => status === 200,
            () => false,
          ),
        ),
      );
      const ready = targets.filter((_, i) => isReady[i]);
      if (ready.length > 0) balancer.use(ready.map(({ port }) => ({ host: '127.0.0.1', port })));
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
  }

  private environmentOf(service: Service, port: number): Record<string, string> {
    const common = { DATABASE_URL: this.test.url, ...this.rpc };
    const behind = (name: Service): string => `tcp://127.0.0.1:${this.fleets.get(name)!.balancer.port}`;
    if (service === 'gateway')
      return {
        ...common,
        PORT: String(port),
        METRICS_PORT: '0',
        // A health check takes a few milliseconds, and much longer on a busy machine.
        SHUTDOWN_DELAY_MS: '4000',
        RATE_LIMIT_SCALE: '100000',
        TABLES_RPC_URL: behind('tables'),
        RUNS_RPC_URL: behind('runs-agent'),
        SERVICES_RPC_URL: behind('jobs-worker'),
      };
    const served = { ...common, CURSOR_SECRET, RPC_PORT: String(port), SANDBOX: 'on' };
    if (service === 'jobs-worker') return { ...served, SERVICES_RPC: 'on', DRAIN_MS: '1000' };
    return { ...served, APP_URL: 'http://app.test' };
  }
}

/** Number of answers by request and status; `reset` is a broken connection. */
export type AnswerCounts = Record<string, Record<string, number>>;

interface Answer {
  status: number;
  body: string;
}

/** Clients that send requests continuously and record every answer. */
export class Clients {
  private readonly answerCounts: AnswerCounts = {};
  private readonly kept = new Agent({ keepAlive: true, maxSockets: 8 });
  private readonly single = new Agent({ keepAlive: false });
  private isOver = false;
  private working: Array<Promise<void>> = [];
  /** Ids and names of acknowledged resources. */
  readonly acknowledged = {
    workspaces: [] as string[],
    batches: [] as string[],
    runs: [] as string[],
    goRuns: [] as string[],
    /** Batches that a tool has started. */
    toolBatches: [] as string[],
  };
  /** Answers that no client should have seen. */
  readonly faults: string[] = [];

  /** @param long behaviour of the vendor for the line whose batch is read and held meanwhile */
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    private readonly long = 'slow-120s',
  ) {}

  /** Creates the resources to read, then reads and writes until {@link stop}. */
  async start(): Promise<this> {
    const workspace = await this.made('/v1/workspaces', { name: 'Rollout' });
    const batch = await this.made('/v1/services/jobs/batch', {
      service: 'getEmail',
      inputs: [person(this.long)],
    });
    const held = `/v1/services/jobs/batch/${batch.batch_id}`;
    const light: Array<() => Promise<unknown>> = [];
    const work: typeof light = [];
    for (const agent of [this.kept, this.single]) {
      light.push(
        () => this.ask(agent, 'GET', `/v1/workspaces/${workspace.id}`),
        () => this.ask(agent, 'GET', '/v1/runs?limit=1'),
        () => this.ask(agent, 'GET', '/credits'),
        () => this.ask(agent, 'GET', held),
        () => this.ask(agent, 'GET', `${held}?wait_seconds=1`, 'held'),
        () => this.write(agent, 'workspaces', '/v1/workspaces', 'id', () => ({ name: newId('ws') })),
      );
      work.push(
        () =>
          this.write(agent, 'batches', '/v1/services/jobs/batch', 'batch_id', () => ({
            service: 'getEmail',
            inputs: [person('ok')],
          })),
        () =>
          this.write(agent, 'runs', '/v1/runs', 'id', () => ({ prompt: '3 software companies in Berlin' })),
        () =>
          this.write(agent, 'goRuns', '/v1/go/runs', 'id', () => ({
            prompt: 'What is known of the firm?',
            urls: ['https://halbrook.example/'],
          })),
        () => this.useTool(agent),
      );
    }
    const repeat = async (loop: () => Promise<unknown>, pauseMs: number): Promise<void> => {
      while (!this.isOver) {
        await loop();
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    };
    this.working = [
      ...light.map((loop) => repeat(loop, PAUSE_MS.light)),
      ...work.map((loop) => repeat(loop, PAUSE_MS.work)),
    ];
    return this;
  }

  /** @returns the counts of their answers */
  async stop(): Promise<AnswerCounts> {
    this.isOver = true;
    await Promise.all(this.working);
    this.kept.destroy();
    this.single.destroy();
    return this.answerCounts;
  }

  private async made(path: string, body: object): Promise<Record<string, string>> {
    const { status, body: text } = await this.send(this.kept, 'POST', path, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text) as Record<string, string>;
  }

  private async write(
    agent: Agent,
    kind: keyof Clients['acknowledged'],
    path: string,
    id: string,
    bodyOf: () => object,
  ): Promise<void> {
    const answer = await this.ask(agent, 'POST', path, path, bodyOf());
    if (answer) this.acknowledged[kind].push((JSON.parse(answer.body) as Record<string, string>)[id]!);
  }

  /** Starts a batch as an agent does. */
  private async useTool(agent: Agent): Promise<void> {
    const tool = {
      name: 'service_batch_execute',
      arguments: { service: 'getEmail', inputs: [person('ok')] },
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool };
    const answer = await this.ask(agent, 'POST', '/mcp', '/mcp', message);
    if (!answer) return;
    const [, data = answer.body] = /^data: (.*)$/m.exec(answer.body) ?? [];
    const { result } = JSON.parse(data) as { result?: { structuredContent?: { batch_id?: string } } };
    const id = result?.structuredContent?.batch_id;
    if (id === undefined) this.faults.push(`POST /mcp: ${data.slice(0, 300)}`);
    else this.acknowledged.toolBatches.push(id);
  }

  /** @returns the answer; null when it was not as expected */
  private async ask(
    agent: Agent,
    method: string,
    path: string,
    name = path.replace(/_[0-9a-z]{26}/, '').replace(/\?.*/, ''),
    body?: object,
  ): Promise<Answer | null> {
    const answer = await this.send(agent, method, path, body).catch((error: NodeJS.ErrnoException) => ({
      status: 0,
      body: error.code ?? error.message,
    }));
    const answerCounts = (this.answerCounts[`${method} ${name}`] ??= {});
    const word = answer.status === 0 ? 'reset' : String(answer.status);
    answerCounts[word] = (answerCounts[word] ?? 0) + 1;
    if (answer.status >= 200 && answer.status < 300) return answer;
    // On a slow machine the two clients' lists overlap with others, and an organisation reads few at once.
    const isBusyList = method === 'GET' && answer.status === 429;
    if (!isBusyList) this.faults.push(`${method} ${name}: ${word} ${answer.body.slice(0, 200)}`);
    return null;
  }

  private send(agent: Agent, method: string, path: string, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${this.apiKey}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(path === '/mcp' ? { accept: 'application/json, text/event-stream' } : {}),
      };
      const sent = request(`${this.url}${path}`, { agent, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body ? JSON.stringify(body) : undefined);
    });
  }
}

let people = 0;

function person(behaviour: string): object {
  return { first_name: `R${(people += 1)}`, last_name: 'Out', domain: `${behaviour}.sandbox.test` };
}

/** Declares the tests of a rollout: replaces every process of each service, one after the other, while clients send requests. */
export function itReplacesEveryService({ replacements }: { replacements: number }): void {
  afterEach(() => RolloutScene.closeAll());

  it.each(SERVICES)('of %s resets no connection, answers no 5xx, and loses no write', async (service) => {
    const scene = await RolloutScene.open();
    const clients = await scene.clients().start();
    const stops: Array<{ exit: number | null; stopMs: number }> = [];
    for (let i = 0; i < replacements; i += 1) stops.push(await scene.replace(service));
    const answerCounts = await clients.stop();
    const { workspaces, batches, runs, goRuns, toolBatches } = clients.acknowledged;
    const slowest = Math.max(...stops.map(({ stopMs }) => stopMs));
    printMeasurement(
      `${replacements} replacements of ${service}, gone within ${slowest} ms: ${JSON.stringify(answerCounts)}`,
    );
    expect(clients.faults).toEqual([]);
    expect(stops.map(({ exit }) => exit)).toEqual(Array(replacements).fill(0));
    for (const [table, ids] of [
      ['tables.workspaces', workspaces],
      ['jobs.batches', batches],
      ['runs.runs', runs],
      ['go.runs', goRuns],
      ['jobs.batches', toolBatches],
    ] as const) {
      expect(ids.length).toBeGreaterThan(replacements);
      const kept = `SELECT count(*)::int AS n FROM ${table} WHERE id = ANY ($1)`;
      expect(await scene.count(kept, [ids])).toBe(ids.length);
    }
    await scene.close();
  });
}
