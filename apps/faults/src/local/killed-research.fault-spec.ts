import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunJson } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import {
  callOf,
  VendorSimulator,
  waitFor,
  WebServers,
  type ModelRequest,
  type ModelTurn,
  type SimulatedVendorCall,
} from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Citation {
  url: string;
  excerpt: string;
}
interface GoRun {
  id: string;
  status: string;
  completed_at: string | null;
  output: Record<string, unknown>;
  basis: Array<{ field: string; value: unknown; citations: Citation[] }>;
  credits: { charged: number };
}
interface Batch {
  batch_id: string;
  status: string;
  jobs: Array<{
    status: string;
    attempt: number;
    result: Record<string, unknown> & { sources?: Citation[] };
  }>;
}
interface Entry {
  kind: string;
  amount: number;
  service: string | null;
  batch_id: string | null;
  run_id: string | null;
}
interface Balance {
  balance: number;
  reserved: number;
}

const FOUND = 'found@firm.example';
const ENROW_KEY = 'enrow-0f-th3-sp3c';
const HUNTER_KEY = 'hunter-0f-th3-sp3c';
const SITE = '127.0.3.11';
const PATHS = { line: '/pumps', deep: '/team', go: '/history' } as const;
type Researcher = keyof typeof PATHS;
/** Texts of one sentence each, so that the text of a page is also its citation. */
const TEXTS: Readonly<Record<Researcher, string>> = {
  line: 'Halbrook Pumps makes quiet pumps in Leeds since the great flood of the valley.',
  deep: 'Ada Lovelace leads sales at Halbrook Pumps and reads ada.lovelace@halbrook.example every day.',
  go: 'Halbrook Pumps was founded in 1987 by two sisters from Whitby.',
};
const QUESTIONS: Readonly<Record<Researcher, string>> = {
  line: 'Where are the pumps of Halbrook made?',
  deep: 'Find the work e-mail address of Ada Lovelace',
  go: 'When was the firm Halbrook founded?',
};
/** Returns the final answer of the model. The page is the fourth step of each, after two answers of the model and a search. */
const submit = (field: string, value: unknown, quote: string): ModelTurn =>
  callOf('submit', { done: true, claims: [{ field, value, page_id: 'p4', quote }] });
const CLAIMS: Readonly<Record<Researcher, ModelTurn>> = {
  line: submit('/answer', 'Leeds', 'Halbrook Pumps makes quiet pumps in Leeds'),
  deep: submit('/email', 'ada.lovelace@halbrook.example', 'reads ada.lovelace@halbrook.example every day'),
  go: submit('/founded', 1987, 'Halbrook Pumps was founded in 1987'),
};

const place = (fragment: string) => ({
  of: 'company',
  filter: 'places',
  op: 'in',
  value: [{ kind: 'country', id: 'DE' }],
  fragments: [fragment],
});
const software = (fragment: string) => ({
  of: 'company',
  filter: 'industries',
  op: 'any_of',
  value: ['software'],
  fragments: [fragment],
});
const BERLIN = { ...place('Berlin'), value: [{ kind: 'city', id: 'DE-berlin' }] };
const planOf = (
  entity: string,
  { columns = [], exclusions = [] }: { columns?: unknown[]; exclusions?: unknown[] },
) => ({
  tables: [
    {
      source: { kind: 'directory' },
      entity,
      exclusions,
      not_understood: [],
      columns,
      filters: [software('Softwarefirmen'), place('Deutschland')],
      count: { value: 3, fragments: ['3'] },
    },
  ],
});
const PROMPTS = {
  unread: 'Suche 3 Softwarefirmen in Deutschland, nicht in Berlin',
  planned: 'Suche 3 Personen bei Softwarefirmen in Deutschland mit Mailadresse',
} as const;
type Planned = keyof typeof PROMPTS;
const PLANS: Readonly<Record<Planned, object>> = {
  unread: planOf('company', { exclusions: [[BERLIN]] }),
  planned: planOf('person', {
    columns: [
      { source: { from: 'service', service: 'getEmail' }, required: false, fragments: ['Mailadresse'] },
    ],
  }),
};

/** Returns the subject of a model request, and its turn: the number of answers before it in the conversation. */
function stepOf({ promptText, turn }: ModelRequest): { of: Researcher | Planned; turn: number } | null {
  const of = (
    [...Object.entries(QUESTIONS), ...Object.entries(PROMPTS)] as Array<[Researcher | Planned, string]>
  ).find(([, words]) => promptText.includes(words))?.[0];
  return of ? { of, turn } : null;
}

/** Holds callers until it is opened. */
class Gate {
  arrived = 0;
  open!: () => void;
  private readonly opened = new Promise<void>((resolve) => (this.open = resolve));

  async pass<T>(value: T): Promise<T> {
    this.arrived += 1;
    await this.opened;
    return value;
  }
}

/** Gates for the steps of the model during which the process is killed. */
const held = { unread: new Gate(), deep: new Gate(), go: new Gate() };
let isHunterHeld = true;

function played(request: ModelRequest): ModelTurn | Promise<ModelTurn> {
  const step = stepOf(request);
  // The sample prompt of the first start.
  if (!step) return { status: 401 };
  const { of, turn } = step;
  if (of === 'unread') return held.unread.pass({ object: PLANS.unread });
  if (of === 'planned') return { object: PLANS.planned };
  if (turn === 0) return callOf('search', { query: `halbrook ${of}` });
  const fetching = callOf('fetch', { url: web.sites.url(SITE, PATHS[of]) });
  if (turn === 1) return of === 'deep' ? held.deep.pass(fetching) : fetching;
  return of === 'go' ? held.go.pass(CLAIMS.go) : CLAIMS[of];
}

const asSearch = ({ query }: SimulatedVendorCall) => {
  const of = query.q!.replace('halbrook ', '') as Researcher;
  return {
    body: { results: [{ url: web.sites.url(SITE, PATHS[of]), title: 'Halbrook', content: 'Pumps' }] },
  };
};
const asHunter = ({ query: { first_name: first, last_name: last } }: SimulatedVendorCall) => {
  if (first === 'Ada' && last === 'Lovelace') return { status: 404 };
  if (isHunterHeld) return { hangs: true };
  const verification = { status: 'valid' };
  return { body: { data: { email: FOUND, score: 97, verification } } };
};

let web: WebServers;
let hunter: VendorSimulator;
/** Vendor between Hunter and the Deep agent: it responds asynchronously, and knows no person. */
let enrow: VendorSimulator;
let folder: string;
let product: Product;

const api = () => new ApiClient(product.baseUrl, product.credentials.api_key);
const start = (before?: Product): Promise<Product> =>
  startProduct({
    ...(before ? { database: before.database!, dataDir: before.dataDir } : {}),
    env: {
      ...web.env([SITE], [hunter, enrow]),
      RATE_LIMIT_SCALE: '100',
      LOG_LEVEL: 'error',
      HUNTER_KEY,
      ENROW_KEY,
      PROVIDERS_FILE: join(folder, 'providers.json'),
    },
  });

async function startAll(): Promise<void> {
  web = await WebServers.start();
  for (const [of, path] of Object.entries(PATHS)) web.sites.write(SITE, path, TEXTS[of as Researcher]);
  web.model.play(played);
  web.search.playAlways(asSearch);
  hunter = await VendorSimulator.start({
    key: { header: 'X-API-KEY', value: HUNTER_KEY },
    refusal: { status: 401 },
  });
  hunter.playAlways(asHunter);
  enrow = await VendorSimulator.start({
    key: { header: 'x-api-key', value: ENROW_KEY },
    refusal: { status: 401 },
  });
  enrow.playAlways(({ method }) => {
    return { body: { id: 'search-1', status: method === 'POST' ? 'pending' : 'completed' } };
  });
  folder = mkdtempSync(join(tmpdir(), 'quarry-killed-research-'));
  writeFileSync(
    join(folder, 'providers.json'),
    JSON.stringify({
      providers: { hunter: { base_url: hunter.url }, enrow: { base_url: enrow.url } },
      // Without the web provider, which would search for a company of this name on the real web.
      services: { getEmail: ['hunter', 'enrow', 'research'] },
      // Rows come from the sandbox: the search engine serves only research.
      directories: { companies: [] },
    }),
  );
  product = await start();
}
afterAll(async () => {
  await product.dispose();
  await Promise.all([web.stop(), hunter.stop(), enrow.stop()]);
  rmSync(folder, { recursive: true });
});

async function posted<T>(path: string, body: object): Promise<T> {
  const answer = await api().post<T>(path, body);
  expect(answer).toMatchObject({ status: 202 });
  return answer.body;
}

const batch = (service: string, input: object) =>
  posted<Batch>('/v1/services/jobs/batch', { service, inputs: [input] });

/** Returns the number of requests for each step of the model. */
function requestCounts(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const request of web.model.requests) {
    const step = stepOf(request);
    if (!step) continue;
    const name = `${step.of} ${step.turn}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const met = (what: string, check: () => boolean) => waitFor(what, () => Promise.resolve(check()));

/**
 * Kills the process when it has received the answer of the Go run's last step and before it stores it: the row of the step is
 * locked until then.
 */
async function killBeforeItIsKept(runId: string): Promise<void> {
  const { database } = product.database!;
  const ctx = systemCtx('spec');
  await database.transaction(ctx, async (tx) => {
    const locked = await database.query(
      tx,
      'SELECT 1 FROM go.steps WHERE run_id = $1 AND position = 4 FOR UPDATE',
      [runId],
    );
    expect(locked).toHaveLength(1);
    held.go.open();
    const waiting = await waitFor('the answer to come before its journal', async () => {
      const rows = await database.query<{ pid: number }>(
        ctx,
        `SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE go.steps%'`,
      );
      return rows.length > 0 && rows;
    });
    await product.kill9();
    // A session that waits for a lock does not notice that its client has gone, and would write once more.
    for (const { pid } of waiting) await database.query(ctx, 'SELECT pg_terminate_backend($1)', [pid]);
  });
}

const isLookupOf = ({ query }: SimulatedVendorCall, name: string) => query.last_name === name;
const lookups = () => hunter.calls.filter((call) => !isLookupOf(call, 'Lovelace'));

describe('research with a model whose process is killed midway', () => {
  let before: Balance;
  let askedAtTheKill: Record<string, number>;
  let runs: RunJson[];
  let line: Batch;
  let deep: Batch;
  let go: GoRun;

  const endOfRun = (run: RunJson) => api().runEnd(run);
  const endOfBatch = ({ batch_id: id }: Batch) =>
    waitFor('a line to end', async () => {
      const { body } = await api().get<Batch>(`/v1/services/jobs/batch/${id}?wait_seconds=10`);
      return body.status === 'completed' && body;
    });

  beforeAll(async () => {
    await startAll();
    before = (await api().get<Balance>('/credits')).body;
    const letPageGo = web.sites.hold(SITE, PATHS.line);
    const planned = await posted<RunJson>('/v1/runs', { prompt: PROMPTS.planned });
    go = await posted<GoRun>('/v1/go/runs', {
      prompt: QUESTIONS.go,
      schema: { type: 'object', properties: { founded: { type: 'integer' } } },
    });
    line = await batch('webResearch', { question: QUESTIONS.line, effort: 'low' });
    deep = await batch('getEmail', {
      first_name: 'Ada',
      last_name: 'Lovelace',
      company: 'Halbrook Pumps',
      deep: true,
    });
    // Each of them has reached the step during which it is to be killed, and earlier steps are stored.
    await met('the page between two steps of the line', () => web.sites.waitingFor(SITE, PATHS.line) === 1);
    await met('the second step of the Deep agent', () => held.deep.arrived === 1);
    await met('the last step of the Go run', () => held.go.arrived === 1);
    await met('the lookups of the run that is planned', () => lookups().length === 3);
    const unread = await posted<RunJson>('/v1/runs', { prompt: PROMPTS.unread });
    await met('a prompt to be read', () => held.unread.arrived === 1);
    await killBeforeItIsKept(go.id);
    askedAtTheKill = requestCounts();

    isHunterHeld = false;
    letPageGo();
    for (const gate of Object.values(held)) gate.open();
    product = await start(product);
    runs = await Promise.all([planned, unread].map(endOfRun));
    [line, deep] = (await Promise.all([line, deep].map(endOfBatch))) as [Batch, Batch];
    go = await waitFor('the Go run to end', async () => {
      const { body } = await api().get<GoRun>(`/v1/go/runs/${go.id}?wait_seconds=10`);
      return body.completed_at !== null && body;
    });
  });

  it('ends as if it had not been killed', async () => {
    expect(runs.map(({ status, error }) => [status, error])).toEqual([
      ['completed', null],
      ['completed', null],
    ]);
    const rows = await Promise.all(
      runs.map(async ({ artifacts }) => {
        const { body } = await api().get<{ items: Array<{ values: Record<string, unknown> }> }>(
          artifacts[0]!.links.rows,
        );
        return body.items.map(({ values }) => values);
      }),
    );
    expect(rows.map((each) => each.length)).toEqual([3, 3]);
    for (const values of rows[0]!) expect(Object.values(values)).toContain(FOUND);
    for (const values of rows[1]!)
      expect(values).toMatchObject({ industry: 'Software & SaaS', country: 'Germany' });
    expect(line.jobs).toMatchObject([
      { status: 'completed', attempt: 2, result: { found: true, answer: 'Leeds' } },
    ]);
    expect(deep.jobs).toMatchObject([
      {
        status: 'completed',
        attempt: 2,
        result: { email: 'ada.lovelace@halbrook.example', provider: 'research' },
      },
    ]);
    expect(go).toMatchObject({ status: 'completed', stop_reason: 'complete', output: { founded: 1987 } });
  });

  it('repeats no model step whose answer was stored', () => {
    expect(askedAtTheKill).toEqual({
      'planned 0': 1,
      'unread 0': 1,
      'go 0': 1,
      'go 1': 1,
      'go 2': 1,
      'line 0': 1,
      'line 1': 1,
      'deep 0': 1,
      'deep 1': 1,
    });
    // Repeated: a prompt and a step whose answers were pending, and an answer that had arrived but was not stored.
    expect(requestCounts()).toEqual({
      'planned 0': 1,
      'unread 0': 2,
      'go 0': 1,
      'go 1': 1,
      'go 2': 2,
      'line 0': 1,
      'line 1': 1,
      'line 2': 1,
      'deep 0': 1,
      'deep 1': 2,
      'deep 2': 1,
    });
    expect(web.search.calls.map(({ query }) => query.q).sort()).toEqual([
      'halbrook deep',
      'halbrook go',
      'halbrook line',
    ]);
    // The vendor before the Deep agent is polled for the same search again, and gets no second search.
    expect(enrow.calls.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
    // The page that was in progress is read again.
    expect(Object.fromEntries(web.sites.fetched)).toEqual({
      [`${SITE}${PATHS.line}`]: 2,
      [`${SITE}${PATHS.deep}`]: 1,
      [`${SITE}${PATHS.go}`]: 1,
    });
  });

  it('is charged the price of each step once', async () => {
    const { body: ledger } = await api().get<{ items: Entry[] }>('/credits/ledger?limit=100');
    const charges = ledger.items
      .filter(({ kind }) => kind === 'charge')
      .map(({ service, amount, batch_id, run_id }) => [service, amount, run_id ?? batch_id]);
    const ofRun = ['getEmail', -1, runs[0]!.id];
    expect(charges.sort()).toEqual(
      [
        ofRun,
        ofRun,
        ofRun,
        ['webResearch', -3, line.batch_id],
        ['getEmail', -3, deep.batch_id],
        ['go', -4.5, go.id],
      ].sort(),
    );
    const { body: after } = await api().get<Balance>('/credits');
    expect([before.balance - after.balance, after.reserved]).toEqual([13.5, 0]);
    const { database } = product.database!;
    const steps = await database.query(
      systemCtx('spec'),
      'SELECT cost::int, finished_at IS NOT NULL AS finished FROM go.steps WHERE run_id = $1 ORDER BY position',
      [go.id],
    );
    // An answer of the model, a search, an answer, a page, and the answer that was requested twice.
    expect(steps).toEqual([1000, 500, 1000, 1000, 1000].map((cost) => ({ cost, finished: true })));
    expect(await brokenInvariants(database)).toEqual({});
  });

  it('cites words that are on the page', () => {
    const cited = [
      { of: 'line', value: 'Leeds', citations: line.jobs[0]!.result.sources! },
      { of: 'go', value: '1987', citations: go.basis[0]!.citations },
    ] as const;
    for (const { of, value, citations } of cited) {
      expect(citations).toMatchObject([{ url: web.sites.url(SITE, PATHS[of]) }]);
      expect(citations[0]!.excerpt).toContain(value);
      expect(TEXTS[of]).toContain(citations[0]!.excerpt);
    }
  });
});
