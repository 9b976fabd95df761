import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  HttpSite,
  MailServer,
  ModelServer,
  NameServer,
  VendorSimulator,
  waitFor,
  type ModelTurn,
} from '@quarry/test-servers';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';

interface Source {
  url: string;
  excerpt: string;
}
interface Line {
  job_id: string;
  status: string;
  result?: {
    found: boolean;
    answer?: string | null;
    email?: string | null;
    provider: string;
    sources?: Source[];
  };
  error?: { code: string };
}
interface Step {
  provider: string;
  outcome: string;
}
interface Batch {
  batch_id: string;
  status: string;
  jobs: Line[];
}
interface Ledger {
  items: Array<{
    kind: string;
    amount: number;
    service: string | null;
    job_id: string | null;
    reason: string;
  }>;
}

const HUNTER_KEY = 'hunter-0f-th3-sp3c';
const TEXT =
  'Halbrook Pumps makes quiet pumps in Leeds since 1987. Ada Lovelace leads sales: ada.lovelace@halbrook.example. Office: office@halbrook.example.';

/** Domain of a company, which resolves to the site here and to a mail server that knows two people. */
const FIRM = 'halbrook-firm.com';
const CARDS = `<div><b>Ada Lovelace</b> leads sales <a href="mailto:ada.lovelace@${FIRM}">Mail</a></div>`;

let site: HttpSite;
let mail: MailServer;
let names: NameServer;
let model: ModelServer;
let search: VendorSimulator;
let hunter: VendorSimulator;
let product: Product;
let api: ApiClient;
let page: string;
let firm: string;
let dir: string;

beforeAll(async () => {
  site = await HttpSite.open((request, response) => {
    const isFirm = request.headers.host!.startsWith(FIRM);
    if (isFirm) {
      const isHome = request.url === '/';
      return void response
        .writeHead(isHome ? 200 : 404, { 'content-type': 'text/html' })
        .end(isHome ? CARDS : '');
    }
    const isPage = request.url === '/team';
    response
      .writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
      .end(isPage ? `<html lang="en"><title>Halbrook</title><main><p>${TEXT}</p></main></html>` : '');
  });
  const { host, port } = site;
  firm = `http://${FIRM}:${port}`;
  mail = await MailServer.start({
    recipient: (to) => (/^(ada|ben)\./.test(to) ? null : { code: 550, text: '5.1.1 No such user' }),
  });
  names = await NameServer.start(({ type, name }) => {
    if (type === 'MX' && name === FIRM) return [{ preference: 10, exchange: `mail.${FIRM}` }];
    return type === 'A' && name.endsWith(FIRM) ? ['127.0.0.1'] : [];
  });
  page = `http://${host}/team`;
  model = await ModelServer.start('anthropic');
  search = await VendorSimulator.start({ key: null, refusal: { status: 401 } });
  hunter = await VendorSimulator.start({
    key: { header: 'X-API-KEY', value: HUNTER_KEY },
    refusal: { status: 401 },
  });
  search.playAlways(() => ({
    body: { results: [{ title: 'The team', url: page, content: 'Who works here.' }] },
  }));
  hunter.playAlways(() => ({ body: { data: { email: null, score: 0, verification: { status: null } } } }));
  model.play(() => ({ status: 401 }));
  dir = mkdtempSync(join(tmpdir(), 'quarry-research-'));
  const file = join(dir, 'providers.yaml');
  writeFileSync(file, `providers: { hunter: { base_url: "${hunter.url}" } }\n`);
  product = await startProduct({
    env: {
      MODEL_WIRE: 'anthropic',
      MODEL_URL: model.url,
      MODEL_KEY: model.key,
      MODEL_NAME: 'spec-model',
      PLANNER: 'rules',
      SEARXNG_URL: search.url,
      HUNTER_KEY,
      PROVIDERS_FILE: file,
      FETCH_ALLOW_HOSTS: [
        host,
        search.host,
        hunter.host,
        `${FIRM}:${port}`,
        `mail.${FIRM}:${mail.port}`,
      ].join(),
      DNS_SERVERS: names.address,
      SMTP_PROBE_PORT: String(mail.port),
      RATE_LIMIT_SCALE: '100',
    },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  await Promise.all([model.stop(), search.stop(), hunter.stop(), mail.stop()]);
  names.stop();
  await site.stop();
  rmSync(dir, { recursive: true });
  expect(broken).toEqual({});
});

const tools = (name: string, input: unknown): ModelTurn => ({ tools: [{ name, input }] });
const submit = (field: string, value: unknown, quote: string, pageId: string): ModelTurn =>
  tools('submit', { done: true, claims: [{ field, value, page_id: pageId, quote }] });

async function lineOf(service: string, input: object): Promise<Line> {
  const { status, body } = await api.post<Batch>('/v1/services/jobs/batch', { service, inputs: [input] });
  expect([200, 202]).toContain(status);
  return waitFor('the line to end', async () => {
    const { body: batch } = await api.get<Batch>(`/v1/services/jobs/batch/${body.batch_id}`);
    return ['completed', 'failed'].includes(batch.jobs[0]!.status) ? batch.jobs[0]! : null;
  });
}

async function chargeOf({ job_id: id }: Line): Promise<number> {
  const { body } = await api.get<Ledger>('/credits/ledger');
  return body.items.filter(({ job_id: of }) => of === id).reduce((sum, { amount }) => sum - amount, 0);
}

describe('research with a language model', () => {
  it('answers webResearch with words that are on a page, and charges by effort', async () => {
    const quote = 'Halbrook Pumps makes quiet pumps in Leeds';
    model.play(
      () => tools('search', { query: 'halbrook pumps' }),
      () => tools('fetch', { url: page }),
      (request) => {
        expect(request.promptText).toContain(quote);
        return submit('/answer', 'Leeds', quote, /Page (p\d+)/.exec(request.promptText)![1]!);
      },
    );
    const line = await lineOf('webResearch', {
      question: 'Where does Halbrook make its pumps?',
      effort: 'low',
    });
    expect(line).toMatchObject({
      status: 'completed',
      result: { found: true, answer: 'Leeds', provider: 'research' },
    });
    for (const { url, excerpt } of line.result!.sources!) {
      expect(url).toBe(page);
      expect(TEXT).toContain(excerpt);
    }
    expect(line.result!.sources).toHaveLength(1);
    expect(await chargeOf(line)).toBe(3);
    expect(model.requests.every(({ hasKey, leaksKey }) => hasKey && !leaksKey)).toBe(true);
  });

  it("is the Deep agent after a vendor's miss: 3 credits for a find, 0.5 for none, nothing if not requested", async () => {
    const ada = { first_name: 'Ada', last_name: 'Lovelace', domain: 'halbrook.example' };
    const callsBefore = model.requests.length;
    const plain = await lineOf('getEmail', ada);
    expect(plain).toMatchObject({ status: 'completed', result: { found: false } });
    expect([await chargeOf(plain), model.requests.length]).toEqual([0, callsBefore]);
    const play = (value: string, quote: string): void =>
      model.play(
        () => tools('search', { query: 'Ada Lovelace Halbrook e-mail' }),
        () => tools('fetch', { url: page }),
        (request) => submit('/email', value, quote, /Page (p\d+)/.exec(request.promptText)![1]!),
      );
    play('ada.lovelace@halbrook.example', 'Ada Lovelace leads sales: ada.lovelace@halbrook.example');
    const found = await lineOf('getEmail', { ...ada, deep: true });
    expect(found).toMatchObject({
      status: 'completed',
      result: { found: true, email: 'ada.lovelace@halbrook.example', provider: 'research' },
    });
    expect(await chargeOf(found)).toBe(3);
    // The address of the office is not that of the person.
    play('office@halbrook.example', 'Office: office@halbrook.example.');
    const missed = await lineOf('getEmail', { ...ada, last_name: 'Byron', deep: true });
    expect(missed).toMatchObject({ status: 'completed', result: { found: false, email: null } });
    expect(await chargeOf(missed)).toBe(0.5);
  });

  it('comes last: the web finds what the company shows or its mail server knows, then a vendor is called', async () => {
    const known = `cleo@${FIRM}`;
    hunter.playAlways(({ query: { first_name: first } }) => {
      const email = first === 'Cleo' ? known : null;
      return { body: { data: { email, score: 95, verification: { status: email && 'valid' } } } };
    });
    const { body: before } = await api.get<{ remaining: number }>('/credits');
    const of = (first_name: string, domain: string) => ({ first_name, last_name: 'Lovelace', domain });
    const inputs = [
      of('Ada', firm),
      of('Ben', firm),
      of('Cleo', firm),
      of('Dora', firm),
      of('Ben', 'halbrook.example'),
      of('Ben', 'gone-firm.com'),
    ];
    const sent = await api.post<Batch>('/v1/services/jobs/batch', { service: 'getEmail', inputs });
    const { jobs } = await waitFor('the lines to end', async () => {
      const { body } = await api.get<Batch>(`/v1/services/jobs/batch/${sent.body.batch_id}?wait_seconds=10`);
      return body.status === 'completed' && body;
    });
    const miss = [null, 'web'];
    expect(jobs.map(({ result }) => [result?.email, result?.provider])).toEqual([
      [`ada.lovelace@${FIRM}`, 'web'],
      [`ben.lovelace@${FIRM}`, 'web'],
      [known, 'hunter'],
      miss,
      [null, 'hunter'],
      miss,
    ]);
    const trails = await Promise.all(
      jobs.map(({ job_id: id }) => api.get<{ steps: Step[] }>(`/v1/services/jobs/${id}/trail`)),
    );
    const [hit, passed] = ['web hit', 'web miss'];
    expect(
      trails.map(({ body }) => body.steps.map(({ provider, outcome }) => `${provider} ${outcome}`)),
    ).toEqual([
      [hit],
      [hit],
      [passed, 'hunter hit'],
      [passed, 'hunter miss', 'research skipped'],
      ['web skipped', 'hunter miss', 'research skipped'],
      [passed, 'hunter miss', 'research skipped'],
    ]);
    expect(await Promise.all(jobs.map(chargeOf))).toEqual([1, 1, 1, 0, 0, 0]);
    const { body: after } = await api.get<{ remaining: number }>('/credits');
    expect(before.remaining - after.remaining).toBe(3);
    // No mail was sent, and each of the four addresses was checked once.
    expect(mail.mails).toBe(0);
    expect(mail.recipients.filter((to) => to.includes('.lovelace@')).sort()).toEqual(
      ['ada', 'ben', 'cleo', 'dora'].map((first) => `${first}.lovelace@${FIRM}`),
    );
  });
});

describe('fast services with a language model', () => {
  interface Read {
    output: { provider: string; label?: string | null; data?: Record<string, unknown> };
    credits: { charged: number };
  }
  const QUOTE = 'Halbrook Pumps makes quiet pumps in Leeds since 1987';
  const SCHEMA = { type: 'object', properties: { founded: { type: 'integer' } } };
  const UNREADABLE = (): ModelTurn => ({ text: 'That is hard to say.' });
  const GONE = (): ModelTurn => ({ status: 500 });

  /** @returns the answer of a call, and the ledger entries that it has created */
  async function called(service: string, input: object): Promise<{ answer: Read; charges: number[] }> {
    const path = `/credits/ledger?service=${service}&limit=100`;
    const before = (await api.get<Ledger>(path)).body.items.length;
    const { status, body } = await api.post<Read>(`/services/${service}`, input);
    expect({ status, body }).toMatchObject({ status: 200 });
    const after = (await api.get<Ledger>(path)).body.items;
    return { answer: body, charges: after.slice(0, after.length - before).map(({ amount }) => -amount) };
  }

  const classified = (text: string) => called('classifyText', { text, labels: ['industry', 'retail'] });
  const extracted = () => called('extractData', { urls: [page], schema: SCHEMA });
  const founded = (value: number, quote: string) => (request: { promptText: string }) =>
    submit('/founded', value, quote, /Page (p\d+)/.exec(request.promptText)![1]!);

  it("charge once for the model's answer: a given label, a value proved by a page", async () => {
    model.play(() => ({ object: { label: 'industry', confidence: 'high', reasoning: 'Pumps are built.' } }));
    const label = await classified('Halbrook builds quiet things in Leeds.');
    expect(label.answer).toMatchObject({
      output: { provider: 'model', label: 'industry' },
      credits: { charged: 0.5 },
    });
    expect(label.charges).toEqual([0.5]);
    model.play(founded(1987, QUOTE));
    const value = await extracted();
    expect(value.answer).toMatchObject({
      output: { provider: 'model', data: { founded: 1987 } },
      credits: { charged: 3 },
    });
    expect(value.charges).toEqual([3]);
  });

  it.each([
    ['cannot be read', UNREADABLE],
    ['is missing', GONE],
  ])(
    'charge nothing for a model whose answer %s: the rules answer, and only their finds are charged',
    async (_what, turn) => {
      model.play(turn);
      const value = await extracted();
      expect(value.answer).toMatchObject({ output: { data: { founded: null } }, credits: { charged: 0 } });
      expect(value.charges).toEqual([]);
      // The call is charged once, at the price of the provider that answered it.
      const label = await classified('The industry of pumps.');
      expect(label.answer).toMatchObject({
        output: { provider: 'rules', label: 'industry' },
        credits: { charged: 0.5 },
      });
      expect(label.charges).toEqual([0.5]);
      expect(model.requests.length).toBeGreaterThan(1);
    },
  );
});
