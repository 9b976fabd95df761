import { createOrganisation } from '@quarry/composition';
import { auditLedger } from '@quarry/credit-ledger';
import { freePort } from '@quarry/local-postgres';
import {
  ApiClient,
  AppProcess,
  brokenAttempts,
  brokenInvariants,
  createTestDatabase,
  dropWhenLeft,
  ProviderSimulator,
  runAdmin,
  type TestDatabase,
} from '@quarry/testing';
import { OwnRedis, waitFor } from '@quarry/test-servers';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { VersionBefore } from '../gateway/rollouts/spec-kit.js';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

/** Version of a process: the previous release, or this checkout. */
export type Version = 'old' | 'new';
export type Part = 'gateway' | 'tables' | 'runs-agent' | 'services' | 'worker';
/** Version of each part; `both` runs two processes. There is one gateway. */
export type Versions = Readonly<Record<Part, Version | 'both'>> & { readonly gateway: Version };

const SERVED = ['services', 'tables', 'runs-agent'] as const;
const SECRETS = { RPC_SECRETS: 'v'.repeat(32), CURSOR_SECRET: 'c'.repeat(32) };
/** A fifth of the product's lease, in milliseconds: the lines of a killed worker wait for its end. */
const LEASE_MS = '6000';
/** Number of lines, more than the concurrency of one worker (VENDOR_CONCURRENCY), so that two workers are needed. */
const LINES = 60;
/** Number of companies that a direct call finds; below it the price of each in credits (docs/contract.md). */
const FOUND = 3;
const ITEM_PRICE = 0.25;

/** @returns the folder of the previous version @throws Error outside of npm run test:versions */
export function previousRoot(): string {
  const root = process.env.QUARRY_PREVIOUS_ROOT;
  if (!root) throw new Error('The previous version is put in place by npm run test:versions.');
  return root;
}

/** @throws Error with the output when the migration of a version fails */
async function migrateBy(checkout: string | undefined, { ownerUrl }: TestDatabase): Promise<void> {
  const { code, stdout, stderr } = await runAdmin({ DATABASE_URL: ownerUrl }, ['migrate'], '', [], checkout);
  if (code !== 0) throw new Error(`The migration ended with code ${code}: ${stdout}${stderr}`);
}

/** @returns the migrations of this version that the previous one does not have */
export function addedMigrations(): string[] {
  // Earlier versions used another folder.
  const of = (root: string) =>
    globSync('libs/**/*.migration.ts', { cwd: root }).map((file) => basename(file));
  const before = of(previousRoot());
  return of(ROOT).filter((name) => !before.includes(name));
}

/** Returns the previous version with the schema that it created, which this version then migrates. */
export function versionBefore(): VersionBefore {
  const checkout = previousRoot();
  return {
    checkout,
    openDatabase: async () => {
      const test = await createTestDatabase({ isEmpty: true });
      await migrateBy(checkout, test);
      return test;
    },
    migrate: (test) => migrateBy(undefined, test),
  };
}

interface RunBody {
  id: string;
  status: string;
  artifacts: Array<{ links: { rows: string } }>;
}
interface BatchBody {
  batch_id: string;
  status: string;
  counts: { completed: number; failed: number };
}
interface Refusal {
  error?: { code: string };
}

/** The product with one process per part, in given versions, over the schema of this checkout, with queues in Redis. */
export class VersionScene {
  private static readonly unclosed = new Set<VersionScene>();
  private readonly apps: AppProcess[] = [];
  private readonly workers: AppProcess[] = [];
  private readonly ports = new Map<string, number>();
  /** Addresses of the processes' metrics, by part and version. */
  private readonly metrics = new Map<string, string>();
  private people = 0;
  private api!: ApiClient;

  private constructor(
    readonly test: TestDatabase,
    private readonly redis: OwnRedis,
    private readonly vendor: ProviderSimulator,
  ) {}

  /** Starts the old processes with the old schema, migrates it, and starts the new ones: the order of an upgrade. */
  static async open(versions: Versions): Promise<VersionScene> {
    const before = versionBefore();
    const test = await before.openDatabase();
    const scene = new VersionScene(test, await OwnRedis.start(), await ProviderSimulator.start());
    VersionScene.unclosed.add(scene);
    for (const part of [...SERVED, 'gateway'] as const)
      for (const version of versionsOf(versions[part])) await scene.reservePort(part, version);
    await scene.startAll(versions, 'old');
    await before.migrate(test);
    await scene.startAll(versions, 'new');
    const { apiKey } = await createOrganisation(test.database, { name: 'Versions', credits: 10_000 });
    scene.api = new ApiClient(`http://127.0.0.1:${scene.portOf('gateway', versions.gateway)}`, apiKey);
    return scene;
  }

  /** Closes scenes that a failed test left open; for afterEach. */
  static async closeAll(): Promise<void> {
    await Promise.all([...VersionScene.unclosed].map((scene) => scene.close()));
  }

  /** Result of {@link play} when everything works. */
  readonly right: Record<string, unknown> = {
    workspace: { first: 201, again: 'the same', other: 409 },
    table: { made: 201, rows: 3 },
    run: { status: 'completed', rows: 3 },
    'direct call': { status: 200, items: FOUND },
    'list and held read': { completed: LINES, failed: 0 },
    'list repeated': 'the same',
    credits: { spent: LINES + FOUND * ITEM_PRICE, reserved: 0 },
  };

  /** Performs the requests of a client, one after the other. @returns the result of each, or the code of its refusal */
  async play(): Promise<Record<string, unknown>> {
    const { api } = this;
    const credits = async () => (await api.get<{ balance: number; reserved: number }>('/credits')).body;
    const before = await credits();
    const played: Record<string, unknown> = {};
    const once = { 'idempotency-key': 'versions-workspace' };
    const make = (name: string) => api.post<{ id: string } & Refusal>('/v1/workspaces', { name }, once);
    const [first, again, other] = [await make('One'), await make('One'), await make('Two')];
    played.workspace = refusalOf(first) ?? {
      first: first.status,
      again: again.body.id === first.body.id ? 'the same' : 'another',
      other: other.status,
    };
    const table = await api.post<{ id: string } & Refusal>(`/v1/workspaces/${first.body.id}/tables`, {
      name: 'Firms',
      columns: [{ key: 'a', name: 'A' }],
      rows: [{ a: 'x' }, { a: 'y' }, { a: 'z' }],
    });
    const rows = await api.get<{ items: unknown[] } & Refusal>(`/v1/tables/${table.body.id}/rows`);
    played.table = refusalOf(table) ??
      refusalOf(rows) ?? { made: table.status, rows: rows.body.items.length };
    played.run = await this.playRun(first.body.id);
    const call = await api.post<{ output: { items: unknown[] } } & Refusal>('/services/searchCompanies', {
      industries: ['Fintech'],
      limit: FOUND,
    });
    played['direct call'] = refusalOf(call) ?? { status: call.status, items: call.body.output.items.length };
    const inputs = Array.from({ length: LINES }, () => this.person('slow-1s'));
    const send = () =>
      api.post<BatchBody & Refusal>(
        '/v1/services/jobs/batch',
        { service: 'getEmail', inputs },
        { 'idempotency-key': 'versions-list' },
      );
    const list = await send();
    played['list and held read'] = refusalOf(list) ?? (await this.endOf(list.body.batch_id));
    const repeated = await send();
    played['list repeated'] =
      refusalOf(repeated) ?? (repeated.body.batch_id === list.body.batch_id ? 'the same' : 'another');
    const after = await credits();
    played.credits = { spent: before.balance - after.balance, reserved: after.reserved };
    return played;
  }

  /**
   * Waits until every process behind the gateway has done some work. Each worker gets a line of its own, because one may have taken
   * a whole list; reads are sent meanwhile, which go to both processes of a part in turn.
   * @returns by part and version, the number of calls answered successfully; for a worker, of its calls to the vendor
   */
  async workDone(): Promise<Record<string, number>> {
    for (let rest = this.workers.length; rest > 0; rest -= 1) await this.workWithFirstWorker();
    const reads = ['/credits', '/v1/runs', '/v1/workspaces', '/v1/services/jobs'];
    return waitFor('every process to do some of the work', async () => {
      for (const path of reads) await this.api.get(path);
      const work = [...this.metrics].map(async ([name, url]) => [name, await workOf(name, url)] as const);
      const done = await Promise.all(work);
      return done.every(([, count]) => count > 0) && Object.fromEntries(done);
    });
  }

  /** Sends lines that the vendor holds. @returns the id of their batch, when all have reached the vendor */
  async sendHeld(count: number): Promise<string> {
    const inputs = Array.from({ length: count }, () => this.person('held'));
    const { body } = await this.api.post<BatchBody>('/v1/services/jobs/batch', {
      service: 'getEmail',
      inputs,
    });
    await waitFor('the vendor to be asked', async () => this.vendor.openCalls === count);
    return body.batch_id;
  }

  /** Kills the first worker and resumes the others; the vendor answers all further calls. */
  async killFirstWorker(): Promise<void> {
    await this.workers.shift()!.stop('SIGKILL');
    this.vendor.override = 'ok';
    for (const worker of this.workers) worker.resume();
  }

  /** Reverses the order of the workers. */
  turnWorkers(): void {
    this.workers.reverse();
  }

  /** Suspends every worker but the first, so that it alone takes new lines. */
  freezeOtherWorkers(): void {
    for (const worker of this.workers.slice(1)) worker.freeze();
  }

  /** Sends a line that the first worker looks up, and puts that worker last. */
  private async workWithFirstWorker(): Promise<void> {
    this.freezeOtherWorkers();
    const sent = await this.api.post<BatchBody>('/v1/services/jobs/batch', {
      service: 'getEmail',
      inputs: [this.person('ok')],
    });
    await this.endOf(sent.body.batch_id);
    for (const worker of this.workers.slice(1)) worker.resume();
    this.workers.push(this.workers.shift()!);
  }

  async startWorker(version: Version): Promise<void> {
    const queue = { WORKER_QUEUES: 'service-get-email', LEASE_MS };
    const env = { ...this.working(), ...queue, ...(await this.measured('worker', version)) };
    const worker = await this.start('jobs-worker', version, env, 'queues are worked on');
    this.workers.push(worker);
  }

  /** Waits for the end of a batch with held reads. @returns its counts */
  async endOf(batchId: string): Promise<unknown> {
    const { counts } = await waitFor(
      'the list to end',
      async () => {
        const path = `/v1/services/jobs/batch/${batchId}?wait_seconds=30`;
        const { body } = await this.api.get<BatchBody>(path);
        return body.status === 'completed' && body;
      },
      180_000,
    );
    return { completed: counts.completed, failed: counts.failed };
  }

  /** @returns the findings of the checkers: an empty object when all checks pass */
  async findings(): Promise<Record<string, unknown>> {
    const { database } = this.test;
    const found: Record<string, unknown[]> = {
      ledger: await auditLedger(database),
      'attempts and calls': await brokenAttempts(database, this.vendor.calls, 0),
      ...(await brokenInvariants(database)),
    };
    return Object.fromEntries(Object.entries(found).filter(([, items]) => items.length > 0));
  }

  async close(): Promise<void> {
    VersionScene.unclosed.delete(this);
    await Promise.all([...this.apps].map((app) => app.stop('SIGKILL')));
    await Promise.all([this.redis.stop(), this.vendor.stop()]);
    await dropWhenLeft(this.test);
  }

  private async playRun(workspaceId: string): Promise<unknown> {
    const sent = await this.api.post<RunBody & Refusal>('/v1/runs', {
      prompt: '3 software companies in Berlin',
      workspace_id: workspaceId,
    });
    const refused = refusalOf(sent);
    if (refused) return refused;
    const end = await this.api.runEnd(sent.body);
    const rows = end.artifacts[0] && (await this.api.get<{ items: unknown[] }>(end.artifacts[0].links.rows));
    return { status: end.status, rows: rows?.body.items.length ?? 0 };
  }

  private person(behaviour: string): Record<string, unknown> {
    return { first_name: `V${(this.people += 1)}`, last_name: 'Doe', domain: `${behaviour}.vendor.test` };
  }

  private async startAll(versions: Versions, version: Version): Promise<void> {
    const has = (part: Part) => versionsOf(versions[part]).includes(version);
    for (const part of SERVED) if (has(part)) await this.startPart(part, version);
    if (has('worker')) await this.startWorker(version);
    if (has('gateway')) await this.startGateway(version);
  }

  private async startPart(part: (typeof SERVED)[number], version: Version): Promise<void> {
    const own = {
      ...(part === 'tables' ? this.serving() : this.working()),
      RPC_PORT: String(this.portOf(part, version)),
    };
    const more: Record<string, string> = {
      tables: {},
      'runs-agent': { SERVICES_RPC_URL: this.at('services') },
      services: { SERVICES_RPC: 'on', WORKER_QUEUES: 'none' },
    }[part];
    const app = part === 'services' ? 'jobs-worker' : part;
    const env = { ...own, ...more, ...(await this.measured(part, version)) };
    await this.start(app, version, env, 'calls are answered');
  }

  /** @returns the variables with which a process serves its metrics */
  private async measured(part: Part, version: Version): Promise<Record<string, string>> {
    const port = await freePort();
    this.metrics.set(`${part} ${version}`, `http://127.0.0.1:${port}/metrics`);
    return { METRICS_PORT: String(port), METRICS_HOST: '127.0.0.1' };
  }

  startGateway(version: Version): Promise<AppProcess> {
    const env = {
      RPC_SECRETS: SECRETS.RPC_SECRETS,
      DATABASE_URL: this.test.servingUrl,
      REDIS_URL: this.redis.url,
      PORT: String(this.portOf('gateway', version)),
      METRICS_PORT: '0',
      RATE_LIMIT_SCALE: '1000',
      LEAVE_MS: '0',
      TABLES_RPC_URL: this.at('tables'),
      RUNS_RPC_URL: this.at('runs-agent'),
      SERVICES_RPC_URL: this.at('services'),
    };
    return this.start('gateway', version, env, 'the gateway listens');
  }

  private async start(
    app: string,
    version: Version,
    env: Record<string, string>,
    ready: string,
  ): Promise<AppProcess> {
    const started = AppProcess.start(app, env, {}, version === 'old' ? previousRoot() : undefined);
    this.apps.push(started);
    await started.printed(ready);
    return started;
  }

  /** Reserves a port, because a process gets the addresses of the services at its start, before these have started. */
  private async reservePort(part: Part, version: Version): Promise<void> {
    this.ports.set(`${part} ${version}`, await freePort());
  }

  private portOf(part: Part, version: Version): number {
    return this.ports.get(`${part} ${version}`)!;
  }

  private at(part: (typeof SERVED)[number]): string {
    const ports = [this.ports.get(`${part} old`), this.ports.get(`${part} new`)].filter(Boolean);
    return ports.map((port) => `tcp://127.0.0.1:${port}`).join(',');
  }

  private serving(): Record<string, string> {
    return { ...this.common(), DATABASE_URL: this.test.servingUrl };
  }

  private working(): Record<string, string> {
    return { ...this.common(), DATABASE_URL: this.test.url };
  }

  private common(): Record<string, string> {
    const { vendor } = this;
    const vendorEnv = { VENDOR_URL: vendor.url, VENDOR_KEY: vendor.key, VENDOR_SERVICES: 'getEmail' };
    const queue = { QUEUE_URL: this.redis.url, SANDBOX: 'on', DRAIN_MS: '500' };
    return { ...SECRETS, ...vendorEnv, ...queue, APP_URL: 'http://app.test' };
  }
}

function versionsOf(wanted: Version | 'both'): Version[] {
  return wanted === 'both' ? ['old', 'new'] : [wanted];
}

/** @returns the work counted by a process: its calls to the vendor, or the calls that it answered successfully */
async function workOf(name: string, metricsUrl: string): Promise<number> {
  const counted = name.startsWith('worker')
    ? /^quarry_provider_calls_total\{.*\} (\d+)$/gm
    : /^quarry_calls_total\{.*outcome="ok".*\} (\d+)$/gm;
  const text = await (await fetch(metricsUrl)).text();
  return [...text.matchAll(counted)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** @returns the refusal of an answer; null when it was successful */
function refusalOf({
  status,
  body,
}: {
  status: number;
  body: Refusal;
}): { refused: string; status: number } | null {
  return status < 300 ? null : { refused: body.error?.code ?? `${status}, and no envelope`, status };
}
