import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import type { RowJson, RunJson } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { CONNECTION_BUDGETS, connectionsIn } from '@quarry/postgres';
import { freePort } from '@quarry/local-postgres';
import { ApiClient, AppProcess, createTestDatabase, type TestDatabase } from '@quarry/testing';
import { FactSites, startTestRedis, TraceCollector, type TestRedis } from '@quarry/test-servers';
import { traceOf, untilTraced } from '../trace-paths.fixture.js';

interface Product {
  api: ApiClient;
  /** Addresses of the internal ports. */
  operationsUrls: Record<'tables' | 'runs-agent' | 'jobs-worker' | 'gateway', string>;
  apps: Record<'tables' | 'runs-agent' | 'jobs-worker' | 'gateway', AppProcess>;
}

const RPC_SECRETS = 'r'.repeat(32);

async function startProduct(
  test: TestDatabase,
  redisUrl: string | null,
  { apiKey, readable, collector }: { apiKey: string; readable: string; collector: TraceCollector },
): Promise<Product> {
  const ports = await Promise.all(Array.from({ length: 8 }, freePort));
  const [tables, runs, services, port, ...operations] = ports;
  // Each process, with its queues, logs in as its own role.
  const working = { DATABASE_URL: test.url, QUEUE_URL: redisUrl ?? test.url };
  const serving = { DATABASE_URL: test.servingUrl, QUEUE_URL: redisUrl ?? test.servingUrl };
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=c%20k',
    LOG_LEVEL: 'debug',
  };
  const common = {
    ...traced,
    SANDBOX: 'on',
    APP_URL: 'http://app.test',
    CURSOR_SECRET: 'x'.repeat(32),
    RPC_SECRETS,
  };
  const apps = {
    tables: AppProcess.start('tables', {
      ...common,
      ...serving,
      RPC_PORT: String(tables),
      METRICS_PORT: String(operations[0]),
    }),
    'runs-agent': AppProcess.start('runs-agent', {
      ...common,
      ...working,
      RPC_PORT: String(runs),
      SERVICES_RPC_URL: `tcp://127.0.0.1:${services}`,
      METRICS_PORT: String(operations[1]),
    }),
    'jobs-worker': AppProcess.start('jobs-worker', {
      ...common,
      ...working,
      RPC_PORT: String(services),
      SERVICES_RPC: 'on',
      METRICS_PORT: String(operations[2]),
      DRAIN_MS: '1000',
      FETCH_ALLOW_HOSTS: readable,
    }),
    gateway: AppProcess.start('gateway', {
      ...traced,
      SHUTDOWN_DELAY_MS: '0',
      // All tests use one address, and send more requests on a slow machine.
      RATE_LIMIT_SCALE: '100',
      RPC_SECRETS,
      DATABASE_URL: test.servingUrl,
      PORT: String(port),
      METRICS_PORT: String(operations[3]),
      TABLES_RPC_URL: `tcp://127.0.0.1:${tables}`,
      RUNS_RPC_URL: `tcp://127.0.0.1:${runs}`,
      SERVICES_RPC_URL: `tcp://127.0.0.1:${services}`,
      ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
    }),
  };
  for (const name of ['tables', 'runs-agent', 'jobs-worker'] as const)
    await apps[name].printed('calls are answered');
  await apps.gateway.printed('the gateway listens');
  return {
    api: new ApiClient(`http://127.0.0.1:${port}`, apiKey),
    operationsUrls: {
      tables: `http://127.0.0.1:${operations[0]}`,
      'runs-agent': `http://127.0.0.1:${operations[1]}`,
      'jobs-worker': `http://127.0.0.1:${operations[2]}`,
      gateway: `http://127.0.0.1:${operations[3]}`,
    },
    apps,
  };
}

describe.each(['postgres', 'redis'] as const)('separate service processes, queues on %s', (backend) => {
  let database: TestDatabase;
  let redis: TestRedis | null = null;
  let product: Product;
  let sites: FactSites;
  let collector: TraceCollector;

  beforeAll(async () => {
    sites = await FactSites.start();
    collector = await TraceCollector.start();
    database = await createTestDatabase();
    redis = backend === 'redis' ? await startTestRedis() : null;
    const { apiKey } = await createOrganisation(database.database, { name: 'Split', credits: 100 });
    const readable = [0, 1].map((n) => `${sites.pages[n]!.host}:${sites.port}`).join();
    product = await startProduct(database, redis?.url ?? null, { apiKey, readable, collector });
  });
  afterAll(async () => {
    await sites.stop();
    const codes = await Promise.all(Object.values(product.apps).map((app) => app.stop()));
    await redis?.stop();
    await database.drop();
    await collector.stop();
    // Every stopped app exited by itself with code 0.
    expect(codes.filter((code) => code !== 0 && code !== null)).toEqual([]);
  });

  it('turn a prompt into a table with paid mail addresses', async () => {
    const { api } = product;
    const started = await api.post<RunJson>('/v1/runs', {
      prompt: '5 engineers at software companies in the United States, with work email',
    });
    expect(started.status).toBe(202);
    const run = await api.runEnd(started.body);
    const { body } = await api.get<{ items: RowJson[] }>(run.artifacts[0]!.links.rows);
    expect(body.items).toHaveLength(5);
    const found = body.items.filter((row) => row.values.email !== null).length;
    expect((await api.get('/credits')).body).toMatchObject({ remaining: 100 - found, reserved: 0 });
  });

  it('fill a column of a run from a fast service and another found column', async () => {
    const { api } = product;
    const { body: before } = await api.get<{ remaining: number }>('/credits');
    const plan = await api.post<{ intent: object; links: { runs: string } }>('/v1/plans', {
      prompt: '3 software companies in the United States',
    });
    const column = (service: string, source: object, key: string) => ({
      source: { from: 'service', service, ...source },
      key,
      required: false,
      fragments: [],
      from: 'user',
    });
    const one = { limit: { value: 1 } };
    const columns = [
      column(
        'searchPeople',
        { inputs: { company_domains: { value: ['{{found}}'] }, ...one }, field: 'items.0.full_name' },
        'who',
      ),
      column(
        'searchCompanies',
        { inputs: { names: { value: ['{{name}}'] }, ...one }, field: 'items.0.domain' },
        'found',
      ),
    ];
    const intent = { ...plan.body.intent, columns };
    const started = await api.post<RunJson>(plan.body.links.runs, { intent });
    expect([started.status, started.body]).toEqual([202, expect.anything()]);
    const run = await api.runEnd(started.body);
    const { body } = await api.get<{ items: RowJson[] }>(run.artifacts[0]!.links.rows);
    for (const { cells, values } of body.items) {
      expect(values).toMatchObject({ found: expect.stringMatching(/\.example$/), who: expect.any(String) });
      expect(cells.found).toMatchObject({
        status: 'filled',
        source: { service: 'searchCompanies', job_id: null },
      });
    }
    const ledger = await api.get<{ items: Array<{ amount: number }> }>(`/credits/ledger?run_id=${run.id}`);
    expect(ledger.body.items.map(({ amount }) => amount)).toEqual(Array(6).fill(-0.25));
    expect((await api.get('/credits')).body).toMatchObject({
      remaining: before.remaining - 1.5,
      reserved: 0,
    });
  });

  it('research a page, waited for at the gateway and worked on from the queue', async () => {
    const { api } = product;
    const [{ host, facts }] = sites.pages as [FactSites['pages'][number]];
    const { body: before } = await api.get<{ remaining: number }>('/credits');
    const { status, body } = await api.post('/v1/go/run', {
      prompt: 'Who is it?',
      urls: [sites.url(host)],
      schema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    expect([status, body.output]).toEqual([200, { name: facts.name }]);
    expect(body.credits).toEqual({ charged: 1, remaining: before.remaining - 1 });
  });

  it('leave one trace of a run, one of a line and one of a Go run, through all processes involved', async () => {
    const { api, apps } = product;
    const post = async (name: string, path: string, body: object) => {
      const trace = traceOf(name);
      const { status } = await api.post(path, body, { traceparent: trace.header });
      expect([200, 202]).toContain(status);
      return trace;
    };
    const prompt = '2 marketing directors at software companies in the United States, with work email';
    const run = await post('a', '/v1/runs', { prompt });
    const person = { first_name: 'Grace', last_name: 'Hopper', domain: 'navy.example' };
    const line = await post('b', '/v1/services/jobs/batch', { service: 'getEmail', inputs: [person] });
    const [, { host }] = sites.pages as [FactSites['pages'][number], FactSites['pages'][number]];
    const go = await post('c', '/v1/go/run', { prompt: 'Who is it?', urls: [sites.url(host)] });

    const wanted: Array<[typeof run, string[]]> = [
      [
        run,
        [
          'gateway POST /v1/runs > gateway runs.runs.create > runs-agent runs.runs.create > runs-agent transaction > runs-agent run.insert',
          'runs-agent transaction > runs-agent add agent-runs',
          'runs-agent run > runs-agent step column > runs-agent transaction > runs-agent line-matcher.insertBatch',
          'jobs-worker line getEmail > jobs-worker job-lease.claim',
          'jobs-worker line getEmail > jobs-worker provider sandbox',
          'jobs-worker line getEmail > jobs-worker job-lease.settle',
          'runs-agent transaction > runs-agent run-lease.end',
        ],
      ],
      [
        line,
        [
          'gateway POST /v1/services/jobs/batch > gateway services.batches.create > jobs-worker services.batches.create > jobs-worker transaction > jobs-worker line-matcher.insertBatch',
          'jobs-worker transaction > jobs-worker add service-get-email',
          'jobs-worker line getEmail > jobs-worker provider sandbox',
          'jobs-worker line getEmail > jobs-worker job-lease.settle',
        ],
      ],
      [
        go,
        [
          'gateway POST /v1/go/run > gateway services.go.create > jobs-worker services.go.create > jobs-worker transaction > jobs-worker go-run.insert',
          'jobs-worker go run > jobs-worker step read > jobs-worker GET',
          'jobs-worker transaction > jobs-worker go-lease.end',
        ],
      ],
    ];
    for (const [trace, ways] of wanted) await untilTraced(collector, trace, ways);
    // Traces contain only our own names, numbers and codes: nothing that a client has sent, found or stored.
    const { apiKey } = api;
    for (const secret of [
      apiKey,
      apiKey.slice(-20),
      'marketing directors',
      'Hopper',
      'navy',
      '.example',
      'SELECT',
      RPC_SECRETS,
    ])
      expect([secret, collector.text.includes(secret)]).toEqual([secret, false]);
    expect(collector.lastHeaders).toMatchObject({ 'x-collector-key': 'c k' });
    expect(collector.faults).toEqual([]);
    // Log lines contain the id of their trace.
    expect(apps.gateway.output).toContain(`"trace_id":"${run.id}"`);
  });

  it('answer MCP tools, which call every service', async () => {
    const use = async (name: string, args: Record<string, unknown>) => {
      const response = await fetch(`${product.api.baseUrl}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${product.api.apiKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
      });
      const [, data] = /^data: (.*)$/m.exec(await response.text())!;
      return (JSON.parse(data!) as { result: { isError?: boolean; _meta?: unknown } }).result;
    };
    const answers = await Promise.all([
      use('service_discover', { service: 'getEmail' }),
      use('table_list', {}),
      use('retriever_build_list_start', { prompt: '10 people in Germany with work email' }),
    ]);
    expect(answers.map(({ isError = false }) => isError)).toEqual([false, false, true]);
    expect(answers[2]!._meta).toMatchObject({
      'quarry/error': { code: 'confirmation_required', details: { estimate: { rows: 10 } } },
    });
  });

  it('answer a waiting batch read when its line ends, through two processes', async () => {
    const { api } = product;
    const person = { first_name: 'Ada', last_name: 'Lovelace', domain: 'slow-1s.sandbox.test' };
    const accepted = await api.post<{ poll_url: string }>('/v1/services/jobs/batch', {
      service: 'getEmail',
      inputs: [person],
    });
    expect(accepted.status).toBe(202);
    const { body } = await api.get(`${accepted.body.poll_url}?wait_seconds=20`);
    expect(body).toMatchObject({
      status: 'completed',
      counts: { completed: 1 },
      jobs: [{ result: { found: true, provider: 'sandbox' } }],
    });
  });

  it('search companies within the request, without those that another service excludes', async () => {
    const { api } = product;
    const search = () =>
      api.post<{ output: { items: Array<{ domain: string }> }; credits: { charged: number } }>(
        '/services/searchCompanies',
        { industries: ['Fintech'], limit: 4 },
      );
    const first = await search();
    expect([first.status, first.body.credits.charged]).toEqual([200, 1]);
    const gone = first.body.output.items[0]!.domain;
    await api.post('/v1/exclusions/companies', { items: [{ domain: gone }] });
    const { body } = await search();
    expect(body.output.items).toHaveLength(4);
    expect(body.output.items.map(({ domain }) => domain)).not.toContain(gone);
  });

  it('switch vendors, and accept no own key if nothing can encrypt it', async () => {
    const { api } = product;
    const { status, body } = await api.put('/v1/providers/hunter', { key: 'own-key-of-the-spec' });
    expect([status, body]).toEqual([
      400,
      {
        error: {
          code: 'invalid_request',
          message: 'key cannot be stored: the operator has not set ENCRYPTION_KEYS',
          details: [{ path: 'key', message: expect.any(String) }],
        },
      },
    ]);
    expect(await api.put('/v1/providers/hunter', { enabled: false })).toMatchObject({ status: 200 });
    const { body: all } = await api.get<{ items: object[] }>('/v1/providers');
    expect(all.items).toContainEqual(
      expect.objectContaining({ id: 'hunter', configured: null, enabled: false, key_hint: null }),
    );
    expect(await api.delete('/v1/providers/hunter')).toMatchObject({ status: 200, body: { enabled: true } });
  });

  const metricsOf = async (app: keyof Product['operationsUrls']): Promise<string> =>
    (await fetch(`${product.operationsUrls[app]}/metrics`)).text();

  it('export every metric used by an alert or the dashboard, and count lease outcomes', async () => {
    const all = await Promise.all(
      (['tables', 'runs-agent', 'jobs-worker', 'gateway'] as const).map(metricsOf),
    );
    const exported = new Set(
      all.flatMap((text) => [...text.matchAll(/^# TYPE (quarry_\w+)/gm)].map(([, name]) => name!)),
    );
    const folder = join(import.meta.dirname, '../../../../k8s/components/monitoring');
    const files = readdirSync(folder)
      .filter((file) => file === 'dashboard.json' || file.endsWith('-alerts.yaml'))
      .flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/quarry_\w+/g) ?? []);
    expect(files.length).toBeGreaterThan(30);
    const isExported = (name: string) =>
      exported.has(name.replace(/_(bucket|count|sum)$/, '')) || exported.has(name);
    expect(files.filter((name) => !isExported(name))).toEqual([]);
    const [tables, agent, worker, gateway] = all;
    const count = (work: string, event: string) =>
      new RegExp(`^quarry_leases_total\\{work="${work}",event="${event}",app="[a-z-]+"\\} [1-9]`, 'm');
    for (const event of ['claimed', 'ended']) {
      expect(agent).toMatch(count('run', event));
      expect(worker).toMatch(count('line', event));
      expect(worker).toMatch(count('go_run', event));
    }
    expect(tables).toMatch(/^quarry_body_budget_bytes\{body="imports",app="tables"\} [1-9]/m);
    expect(gateway).toMatch(/^quarry_body_budget_bytes\{body="requests",app="gateway"\} [1-9]/m);
    expect(worker).toMatch(
      /^quarry_database_connections_used\{connections="transactions",app="jobs-worker"\} \d/m,
    );
  });

  it('show metrics and health on the internal port only', async () => {
    const metrics = await metricsOf('jobs-worker');
    for (const name of [
      'quarry_oldest_full_line_seconds',
      'quarry_held_credits',
      'process_cpu_seconds_total',
    ]) {
      expect(metrics).toContain(name);
    }
    // Each call is counted by outcome in the process that answered it, and each request at the edge.
    expect(metrics).toMatch(/quarry_calls_total\{call="[a-z.-]+",outcome="ok",app="[a-z-]+"\} [1-9]/);
    const edge = await metricsOf('gateway');
    expect(edge).toMatch(
      /quarry_http_answers_total\{method="POST",route="\/v1\/runs",status="202",app="gateway"\} [1-9]/,
    );
    expect(edge).toMatch(
      /quarry_http_answer_seconds_count\{app="gateway",method="POST",route="\/v1\/runs"\} [1-9]/,
    );
    expect((await fetch(`${product.operationsUrls['jobs-worker']}/readyz`)).status).toBe(200);
    expect((await product.api.get('/metrics')).status).toBe(404);
  });

  it('report runs as unavailable at once while their service is down, name it, and serve the rest', async () => {
    const { api, apps } = product;
    await apps['runs-agent'].stop('SIGKILL');
    expect(await api.get('/v1/runs/run_00000000000000000000000000')).toMatchObject({
      status: 503,
      body: { error: { code: 'runs_unavailable' } },
    });
    expect((await api.get('/v1/workspaces')).status).toBe(200);
    expect((await api.get('/readyz')).body).toEqual({ status: 'ready', missing: ['runs'] });
  });

  it('open no more connections than their processes announced at the start', async () => {
    const budgets = {
      gateway: CONNECTION_BUDGETS.gateway,
      tables: CONNECTION_BUDGETS.tables,
      'runs-agent': CONNECTION_BUDGETS['runs-agent'],
      'jobs-worker': CONNECTION_BUDGETS['jobs-worker, SERVICES_RPC=on'],
    };
    const inQueues = backend === 'redis' ? {} : { queues: 4, notifications: 1 };
    const held = await database.database.query<{ name: string; n: number }>(
      systemCtx('spec'),
      `SELECT split_part(application_name, ':', 1) AS name, count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() GROUP BY 1`,
    );
    for (const [name, budget] of Object.entries(budgets)) {
      const line = product.apps[name as keyof typeof budgets].output
        .split('\n')
        .find((each) => each.includes('connections to PostgreSQL at most'));
      const connections = (JSON.parse(line!) as { connections: Record<string, number> }).connections;
      expect({ name, connections }).toEqual({
        name,
        connections: { ...budget, ...(name === 'gateway' ? {} : inQueues) },
      });
      const own = held.find((each) => each.name === name)?.n ?? 0;
      expect(own).toBeLessThanOrEqual(connectionsIn(budget));
    }
    expect(held.find(({ name }) => name === 'queues')?.n ?? 0).toBeLessThanOrEqual(
      backend === 'redis' ? 0 : 15,
    );
  });
});
