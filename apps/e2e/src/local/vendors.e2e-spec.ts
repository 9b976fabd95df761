import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonText, ResourceOf, Trail as TrailResource } from '@quarry/dto';
import { VendorSimulator, waitFor, type SimulatedVendorCall, type VendorReply } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, runAdmin, startProduct, type Product } from '@quarry/testing';

type Trail = ResourceOf<JsonText<typeof TrailResource>>;
interface Line {
  job_id: string;
  status: string;
  result?: Record<string, unknown>;
}
interface Batch {
  batch_id: string;
  status: string;
  jobs: Line[];
}

const KEYS = {
  hunter: 'hunter-0f-th3-sp3c',
  findymail: 'findymail-0f-th3-sp3c',
  brave: 'brave-0f-th3-sp3c',
  serper: 'serper-0f-th3-sp3c',
};
const NO_CREDITS = { status: 402, body: { error: 'none left' } };

let dir: string;
let hunter: VendorSimulator;
let findymail: VendorSimulator;
let brave: VendorSimulator;
let serper: VendorSimulator;
let product: Product;
let api: ApiClient;

const vendors = () => [hunter, findymail, brave, serper];

/** Hunter knows Ada, Findymail knows Ben, and no vendor knows Cleo. The person is named in the query or body of a call. */
const asHunter = ({ query }: SimulatedVendorCall): VendorReply => {
  const isKnown = query.first_name === 'Ada';
  const email = isKnown ? `ada@${query.domain}` : null;
  return { body: { data: { email, score: 95, verification: { status: isKnown ? 'valid' : null } } } };
};
const asFindymail = ({ body }: SimulatedVendorCall): VendorReply => {
  const { name, domain } = body as { name: string; domain: string };
  return { body: { contact: name.startsWith('Ben') ? { name, domain, email: `ben@${domain}` } : null } };
};
const page = {
  title: 'Pumps',
  link: 'https://halbrook.example/pumps',
  snippet: 'Quiet pumps.',
  date: 'Feb 3, 2026',
};
const asSerper = (): VendorReply => ({ body: { searchParameters: {}, organic: [page], credits: 1 } });

const playing = (header: string, value: string, prefix?: string) =>
  VendorSimulator.start({ key: { header, prefix, value }, refusal: { status: 401 } });

beforeAll(async () => {
  hunter = await playing('X-API-KEY', KEYS.hunter);
  findymail = await playing('Authorization', KEYS.findymail, 'Bearer ');
  brave = await playing('X-Subscription-Token', KEYS.brave);
  serper = await playing('X-API-KEY', KEYS.serper);
  dir = mkdtempSync(join(tmpdir(), 'quarry-vendors-'));
  const file = join(dir, 'providers.yaml');
  writeFileSync(
    file,
    `services:
  getEmail: [hunter, findymail]
  webSearch: [brave, serper]
providers:
  hunter: { base_url: "${hunter.url}" }
  findymail: { key_env: MAIL_KEY, base_url: "${findymail.url}/" }
  brave: { base_url: "${brave.url}" }
  serper: { base_url: "${serper.url}" }
# Not the web, which the search engines would lead to.
directories:
  companies: [registry-2026]
`,
  );
  hunter.playAlways(asHunter);
  findymail.playAlways(asFindymail);
  product = await startProduct({
    env: {
      RATE_LIMIT_SCALE: '100',
      PROVIDERS_FILE: file,
      FETCH_ALLOW_HOSTS: vendors()
        .map(({ host }) => host)
        .join(),
      HUNTER_KEY: KEYS.hunter,
      MAIL_KEY: KEYS.findymail,
      BRAVE_KEY: KEYS.brave,
      SERPER_KEY: KEYS.serper,
    },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
  // The prompt of the first start is about fictional people: no real vendor may be called for them.
  expect(vendors().flatMap(({ calls }) => calls)).toEqual([]);
  brave.playAlways(() => NO_CREDITS);
  serper.playAlways(asSerper);
});
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  await Promise.all(vendors().map((each) => each.stop()));
  rmSync(dir, { recursive: true });
  expect(broken).toEqual({});
});

const remaining = async () => (await api.get<{ remaining: number }>('/credits')).body.remaining;

describe('vendors in the provider file', () => {
  it('are called one after the other for each line, and the first find is the answer', async () => {
    const people = ['Ada', 'Ben', 'Cleo'];
    const inputs = people.map((first_name) => ({
      first_name,
      last_name: 'Okafor',
      domain: 'halbrook.example',
    }));
    const before = await remaining();
    const { body: sent } = await api.post<Batch>('/v1/services/jobs/batch', { service: 'getEmail', inputs });
    const done = await waitFor('the lines to end', async () => {
      const { body } = await api.get<Batch>(`/v1/services/jobs/batch/${sent.batch_id}?wait_seconds=10`);
      return body.status === 'completed' && body;
    });
    expect(done.jobs.map(({ status, result }) => [status, result])).toEqual([
      [
        'completed',
        {
          found: true,
          email: 'ada@halbrook.example',
          status: 'verified',
          confidence: 'high',
          provider: 'hunter',
        },
      ],
      [
        'completed',
        {
          found: true,
          email: 'ben@halbrook.example',
          status: 'verified',
          confidence: 'high',
          provider: 'findymail',
        },
      ],
      // No vendor knows her, and the sandbox, although enabled, invents nothing.
      ['completed', { found: false, email: null, status: null, confidence: null, provider: 'hunter' }],
    ]);
    expect(await remaining()).toBe(before - 2);
    expect(hunter.calls.map(({ query }) => query.first_name).sort()).toEqual(people);
    const names = findymail.calls.map(({ body }) => (body as { name: string }).name);
    expect(names.sort()).toEqual(['Ben Okafor', 'Cleo Okafor']);
    const trails = await Promise.all(
      done.jobs.map(({ job_id: id }) => api.get<Trail>(`/v1/services/jobs/${id}/trail`)),
    );
    expect(
      trails.map(({ body }) =>
        body.steps.map(({ provider, outcome, cost }) => [provider, outcome, cost?.amount]),
      ),
    ).toEqual([
      [['hunter', 'hit', 1]],
      [
        ['hunter', 'miss', 0],
        ['findymail', 'hit', 1],
      ],
      [
        ['hunter', 'miss', 0],
        ['findymail', 'miss', 0],
      ],
    ]);
    expect((await api.get('/v1/services/jobs/svcjob_0/trail')).status).toBe(404);
  });

  it('answer direct calls; one with an empty account is paused, and the operator is told', async () => {
    const before = await remaining();
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await api.post('/services/webSearch', { query: 'brewery pumps', limit: 3 });
      expect([status, body]).toMatchObject([
        200,
        {
          output: {
            items: [
              {
                title: 'Pumps',
                url: 'https://halbrook.example/pumps',
                snippet: 'Quiet pumps.',
                published_at: '2026-02-03T00:00:00.000Z',
              },
            ],
            provider: 'serper',
          },
          credits: { charged: 0.5 },
        },
      ]);
    }
    expect(await remaining()).toBe(before - 1);
    expect([brave.calls.length, serper.calls.length]).toEqual([1, 2]);
    expect(serper.calls.map(({ body }) => body)).toEqual(Array(2).fill({ q: 'brewery pumps', num: 3 }));
    expect(product.output()).toMatch(/"provider":"brave".*the account at a vendor is empty/);
  });

  it('are listed in the catalogue in their order', async () => {
    const { body } = await api.get<{ providers: unknown; available: boolean }>('/services/getEmail');
    expect(body).toMatchObject({
      available: true,
      providers: [
        { id: 'hunter', configured: true, order: 0 },
        { id: 'findymail', configured: true, order: 1 },
      ],
    });
    expect((await api.get('/services/newsSearch')).body).toMatchObject({ available: true });
    expect((await api.get('/services/verifyEmail')).body.providers).toContainEqual(
      expect.objectContaining({ id: 'hunter' }),
    );
  });

  it('get their key in the right header and nowhere else, and nobody else sees it', () => {
    for (const vendor of vendors()) {
      expect(vendor.calls.length).toBeGreaterThan(0);
      for (const { hasKey, leaksKey } of vendor.calls) expect([hasKey, leaksKey]).toEqual([true, false]);
    }
    for (const key of Object.values(KEYS)) expect(product.output()).not.toContain(key);
  });
});

interface Found {
  output: { provider: string; items: Array<Record<string, unknown>> };
  credits: { charged: number };
}

describe('directories imported while the product runs', () => {
  const admin = (...args: string[]) =>
    runAdmin({ DATABASE_URL: product.database!.url, DATA_DIR: product.dataDir }, args);

  async function imported(kind: string, name: string, text: string): Promise<Record<string, unknown>> {
    const file = join(dir, `${name}.csv`);
    writeFileSync(file, text);
    const { code, stdout, stderr } = await admin('directory:import', '--kind', kind, '--file', file);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Columns of the directory')]);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  const search = (service: string, input: object, client = api) =>
    client.post<Found>(`/services/${service}`, input);

  it('answer searchCompanies and searchPeople for live keys, instead of the sandbox', async () => {
    const fintechs = { industries: ['Fintech'], countries: ['Germany'] };
    expect((await search('searchCompanies', fintechs)).body.output.provider).toBe('sandbox');
    const lines = Array.from(
      { length: 30 },
      (_, i) =>
        `Zahlwerk ${i},zahlwerk-${i}.example,financial technology,51-200,berlin,germany,${2000 + i},linkedin.com/company/zahlwerk-${i}`,
    );
    const companies = `name,website,industry,size,locality,country,founded,linkedin_url\n${lines.join('\n')}\n,x.example,,,,,,\nElm,elm.example,,,Palo Alto,united states,,\nOak,oak.example,,,Palo Alto,,,\n`;
    expect(await imported('companies', 'Registry 2026', companies)).toMatchObject({
      name: 'registry-2026',
      row_count: 32,
      rejected_count: 1,
      rejected: [{ line: 32, reason: 'It has no company name.' }],
      mapping: { name: 'name', website: 'website', size: 'size', locality: 'city', founded: 'founded_year' },
    });
    const people = `full_name,title,linkedin_url,company,company domain\nAda Zahl,CTO,linkedin.com/in/ada-zahl,Zahlwerk 0,zahlwerk-0.example\n`;
    await imported('people', 'contacts', people);
    const { body } = await waitFor('the import to be seen', async () => {
      const answer = await search('searchCompanies', { ...fintechs, limit: 2 });
      // Live keys may get no answer after the sandbox has ended for them and before the new directory is first read.
      return answer.body.output?.provider === 'directory:registry-2026' && answer;
    });
    expect(body.credits.charged).toBe(0.5);
    expect(body.output.items[0]).toMatchObject({
      name: 'Zahlwerk 0',
      domain: 'zahlwerk-0.example',
      industry: 'Fintech',
      city: 'Berlin',
      country: 'Germany',
      // The file says 51-200, which is not a number.
      headcount: null,
      founded_year: 2000,
      description: null,
    });
    const cto = await waitFor('the people to be seen', async () => {
      const answer = await search('searchPeople', {
        roles: ['CTO'],
        company_domains: ['zahlwerk-0.example'],
      });
      return answer.body.output.items.length === 1 && answer.body.output;
    });
    expect(cto).toMatchObject({
      provider: 'directory:contacts',
      items: [{ full_name: 'Ada Zahl', seniority: 'C-level' }],
    });
    expect((await api.get('/services/searchCompanies')).body).toMatchObject({
      available: true,
      providers: [{ id: 'directory:registry-2026', configured: true, order: 0 }],
    });
    // One lookup uses an input that the keyless web provider, which reads sites, cannot handle.
    const third = { linkedin_url: 'https://www.linkedin.com/company/zahlwerk-3' };
    expect((await api.post('/services/enrichCompany', third)).body).toMatchObject({
      output: { name: 'Zahlwerk 3', city: 'Berlin', provider: 'directory:registry-2026' },
      credits: { charged: 1 },
    });
    const ada = { linkedin_url: 'https://www.linkedin.com/in/ada-zahl' };
    expect((await api.post('/services/enrichPerson', ada)).body).toMatchObject({
      output: { full_name: 'Ada Zahl', company_domain: 'zahlwerk-0.example', provider: 'directory:contacts' },
    });
    const nobody = { linkedin_url: 'https://www.linkedin.com/in/nobody' };
    expect((await api.post('/services/enrichPerson', nobody)).body).toMatchObject({
      output: { full_name: null, provider: 'directory:contacts' },
      credits: { charged: 0 },
    });
    // Test keys get only fictional data.
    const test = new ApiClient(product.baseUrl, product.credentials.test_key);
    expect((await search('searchCompanies', fintechs, test)).body.output.provider).toBe('sandbox');
  });

  it('are searched by cities that only they have', async () => {
    const { body, status } = await search('searchCompanies', { cities: ['Palo Alto'] });
    expect(status).toBe(200);
    expect(body.output.items.map(({ name }) => name).sort()).toEqual(['Elm', 'Oak']);
    const { body: started } = await api.post<{ id: string }>('/v1/runs', {
      prompt: 'companies in Palo Alto',
    });
    const run = await api.runEnd(started);
    expect(run).toMatchObject({ status: 'completed', message: expect.stringContaining('2 of 2 matching') });
  });

  it('leave out what an organisation excludes', async () => {
    const items = [{ domain: 'zahlwerk-0.example' }];
    expect((await api.post('/v1/exclusions/companies', { items })).status).toBe(200);
    const { body } = await search('searchCompanies', { names: ['Zahlwerk 0', 'Zahlwerk 1'] });
    expect(body.output.items.map(({ domain }) => domain)).toEqual(['zahlwerk-1.example']);
    expect((await search('searchPeople', { names: ['Ada Zahl'] })).body.output.items).toEqual([]);
  });

  it('provide the rows for runs with live keys', async () => {
    const { body: started } = await api.post<{ id: string }>('/v1/runs', {
      prompt: '5 fintech companies in Germany with 50 to 200 employees, newest first',
      output: {
        tables: [{ key: 'firms', entity: 'company', columns: [{ key: 'name' }, { key: 'domain' }] }],
      },
    });
    const run = await api.runEnd(started);
    const { body } = await api.get<{ items: Array<{ values: { name: string } }> }>(
      `/v1/runs/${run.id}/output/tables/firms/rows`,
    );
    expect(body.items.map(({ values }) => values.name)).toEqual(
      [29, 28, 27, 26, 25].map((i) => `Zahlwerk ${i}`),
    );
  });

  it('are listed and dropped, and the sandbox does not return for live keys', async () => {
    const { stdout } = await admin('directory:list');
    expect((JSON.parse(stdout) as { items: unknown }).items).toMatchObject([
      {
        kind: 'companies',
        name: 'registry-2026',
        row_count: 32,
        rejected_count: 1,
        file: 'Registry 2026.csv',
      },
      { kind: 'people', name: 'contacts', row_count: 1 },
    ]);
    expect((await admin('directory:drop', '--kind', 'companies', '--name', 'registry-2026')).code).toBe(0);
    const again = await admin('directory:drop', '--kind', 'companies', '--name', 'registry-2026');
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('There is no directory of companies'),
    ]);
    const refused = await waitFor('the drop to be seen', async () => {
      const answer = await search('searchCompanies', { industries: ['Fintech'] });
      if (answer.status !== 200) return answer;
      // Until the drop takes effect the directory answers with rows: an empty answer would mean that nothing matches.
      expect(answer.body.output).toMatchObject({
        provider: 'directory:registry-2026',
        items: { length: 25 },
      });
      return null;
    });
    expect(refused).toMatchObject({ status: 502, body: { error: { code: 'capability_error' } } });
    const test = new ApiClient(product.baseUrl, product.credentials.test_key);
    const { body } = await search('searchCompanies', { industries: ['Fintech'] }, test);
    expect(body.output.provider).toBe('sandbox');
  });
});
