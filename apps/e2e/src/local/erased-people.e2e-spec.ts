import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import type { RunJson, TableJson } from '@quarry/dto';
import { ApiClient, brokenInvariants, startProduct, type Product } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';

const SLOW_MS = 120_000;
const PROFILE = 'https://www.linkedin.com/in/sandbox-zoe-vale';
const ZOE = {
  name: 'Zoe Vale',
  company: 'Borealis Ltd',
  email: 'zoe.vale@borealis.example',
  linkedin: PROFILE,
};
const BOB = { name: 'Bob Other', company: 'Acme Inc', email: 'bob@acme.example', linkedin: `${PROFILE}-2` };
/** Names the person by every attribute that an erasure searches for. */
const ABOUT_ZOE = `${ZOE.name} of ${ZOE.company}, ${ZOE.email}, ${PROFILE}`;
const EVERYONE = 'From my table "People": everyone';
const COLUMNS = ['name', 'company', 'email', 'linkedin'].map((key) => ({ key, name: key }));

const SEARCHES = [
  // The person is named in the request, and by the address in the result.
  { first_name: 'Zoe', last_name: 'Vale', company: ZOE.company, domain: 'borealis.example' },
  { linkedin_url: PROFILE, domain: 'profiles.example' },
  { first_name: 'Bob', last_name: 'Other', company: BOB.company, domain: 'acme.example' },
];
// The sandbox repeats the question in its result.
const QUESTIONS = [{ question: `Who is ${ABOUT_ZOE}?` }, { question: `Who is ${BOB.name}, ${BOB.email}?` }];

interface BatchJson {
  batch_id: string;
  status: string;
  jobs: Array<{ reused: boolean }>;
}

interface Receipt {
  receipt_id: string;
  erased: Record<string, number>;
  message: string;
}

/** API paths that show the data of an organisation. */
interface Places {
  kept: string[];
  /** Paths whose content names the person, including the export, which is a file. */
  people: string[];
  exportPath: string;
}

const WAYS: Array<{
  by: string;
  named: Record<string, string>;
  needle: RegExp;
  /** True for each of {@link SEARCHES} that names the person, in its request or its result. */
  searches: boolean[];
}> = [
  {
    by: 'e-mail address',
    named: { email: 'Zoe.Vale@Borealis.example' },
    needle: /zoe\.vale@borealis/i,
    searches: [true, false, false],
  },
  {
    by: 'LinkedIn address',
    named: { linkedin_url: `${PROFILE}/` },
    needle: /in\/sandbox-zoe-vale(?!-2)/i,
    searches: [false, true, false],
  },
  {
    by: 'name and company',
    named: { name: 'Vale, Zoé', company: 'Borealis' },
    needle: /Zoe Vale/i,
    searches: [true, false, false],
  },
];

describe('POST /v1/erasures', () => {
  let product: Product;
  let otherOrg: ApiClient;
  let otherOrgPlaces: Places;

  beforeAll(async () => {
    product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error' } });
    otherOrg = await organisation();
    otherOrgPlaces = await fill(otherOrg);
  }, SLOW_MS);
  afterAll(() => product.dispose());

  async function organisation(): Promise<ApiClient> {
    const made = await createOrganisation(product.database!.database, { name: 'Keeping', credits: 1000 });
    return new ApiClient(product.baseUrl, made.apiKey);
  }

  /** Creates data about Zoe and Bob everywhere that an organisation stores people. */
  async function fill(api: ApiClient): Promise<Places> {
    const keyed = { 'Idempotency-Key': 'workspace-1' };
    const made = await api.post<{ id: string }>('/v1/workspaces', { name: `For ${ABOUT_ZOE}` }, keyed);
    const workspace = `/v1/workspaces/${made.body.id}`;
    const table = await api.post<TableJson>(`${workspace}/tables`, {
      name: 'People',
      columns: COLUMNS,
      rows: [BOB, ZOE],
    });
    expect(table.status).toBe(201);
    const published = await ended(api, {
      prompt: EVERYONE,
      output: { tables: [{ key: 'people', entity: 'person', columns: COLUMNS.map(({ key }) => ({ key })) }] },
    });
    expect(published).toMatchObject({ status: 'completed', error: null });
    const ofPrompt = await ended(api, { prompt: `Find the phone number of ${ABOUT_ZOE}` });
    const run = `/v1/runs/${published.id}`;
    const file = await api.post<{ links: { self: string } }>(`${run}/exports`, {
      table_key: 'people',
      format: 'json',
    });
    const batches = [await batch(api, 'getEmail', SEARCHES), await batch(api, 'webResearch', QUESTIONS)];
    const exportPath = file.body.links.self;
    const lists = batches.map(({ batch_id: id }) => `/v1/services/jobs/batch/${id}`);
    const [rows, frozenRows] = [`/v1/tables/${table.body.id}/rows`, `${run}/output/tables/people/rows`];
    return {
      exportPath,
      people: [workspace, rows, frozenRows, lists[1]!, exportPath],
      kept: [
        '/v1/workspaces',
        workspace,
        `${workspace}/tables`,
        `/v1/tables/${table.body.id}`,
        rows,
        '/v1/runs',
        run,
        `${run}/output`,
        frozenRows,
        `/v1/runs/${ofPrompt.id}`,
        '/v1/services/jobs',
        ...lists,
        '/credits/ledger',
      ],
    };
  }

  async function ended(api: ApiClient, request: object): Promise<RunJson> {
    const { status, body } = await api.post<RunJson>('/v1/runs', request);
    expect(status).toBe(202);
    return api.runEnd(body);
  }

  async function batch(api: ApiClient, service: string, inputs: object[]): Promise<BatchJson> {
    const { body } = await api.post<BatchJson>('/v1/services/jobs/batch', { service, inputs });
    await waitFor('the list to end', async () => {
      const now = (await api.get<BatchJson>(`/v1/services/jobs/batch/${body.batch_id}`)).body;
      return now.status === 'completed';
    });
    return body;
  }

  const textsOf = (api: ApiClient, { kept, exportPath }: Places) =>
    Promise.all([...kept, exportPath].map(async (path) => `${path}\n${await api.text(path)}`));

  it.each(WAYS)('by $by counts what it erased, and nothing shows the person again', async (way) => {
    const { named, needle, searches } = way;
    const api = await organisation();
    const places = await fill(api);
    const credits = async () => (await api.get('/credits')).body;
    const [spent, others] = [await credits(), await textsOf(otherOrg, otherOrgPlaces)];
    const before = await textsOf(api, places);
    const shown = before.filter((text) => needle.test(text)).map((text) => text.split('\n')[0]!);
    expect(shown).toEqual(expect.arrayContaining(places.people));

    const receipt = await api.post<Receipt>('/v1/erasures', named);
    expect(receipt.status).toBe(201);
    const { steps, ...erased } = receipt.body.erased;
    expect(steps).toBeGreaterThan(0);
    expect(erased).toEqual({
      // One in the table, and one in the table that the run made from it.
      rows: 2,
      frozen_rows: 1,
      exports: 1,
      // One set by a request, and one that is the beginning of a prompt.
      names: 2,
      // A search and the question.
      lines: 2,
      runs: 1,
      plans: 0,
      request_answers: 1,
      go_runs: 0,
      go_pages: 0,
      sent_rows: 0,
      contacts: 0,
      threads: 0,
      in_work: 0,
    });
    const after = (await textsOf(api, places)).join('\n');
    expect(after).not.toMatch(needle);
    expect(after).toContain(BOB.email);
    // Texts that were derived from the prompt and contain parts of it are gone, too.
    expect(after).not.toMatch(/Find the phone number|domain: zoe\.vale/);
    expect(await api.get(places.exportPath)).toMatchObject({
      status: 404,
      body: { error: { code: 'export_not_found' } },
    });
    expect(await credits()).toEqual(spent);
    expect(await textsOf(otherOrg, otherOrgPlaces)).toEqual(others);

    const again = await api.post<Receipt>('/v1/erasures', named);
    expect(new Set(Object.values(again.body.erased))).toEqual(new Set([0]));
    expect([receipt.body.message, again.body.message]).toEqual([
      'The person was erased from the places counted here.',
      'Nothing was erased: no data matches the person given.',
    ]);

    // A new run of the same tables and searches uses the remaining data.
    const next = await ended(api, { prompt: EVERYONE });
    const rows = await api.text(next.artifacts[0]!.links.rows);
    expect(rows).not.toMatch(needle);
    expect(rows).toContain(BOB.email);
    const { jobs } = await batch(api, 'getEmail', SEARCHES);
    expect(jobs.map(({ reused }) => !reused)).toEqual(searches);
    expect(await brokenInvariants(product.database!.database)).toEqual({});
  });
});
