import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPANY_SITES, CompanySites, printMeasurement, NameServer, waitFor } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, runAdmin, startProduct, type Product } from '@quarry/testing';

type Item = Record<string, any>;

const COLUMNS = [
  { key: 'tech', service: 'detectTech', field: 'items.name' },
  { key: 'linkedin', service: 'findSocials', field: 'linkedin_url' },
  { key: 'x', service: 'findSocials', field: 'x_url' },
  { key: 'open', service: 'getJobPostings', field: 'items.title' },
];

describe('a file of two hundred companies', () => {
  let sites: CompanySites;
  let names: NameServer;
  let product: Product;
  let api: ApiClient;
  let dir: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'quarry-sites-'));
    sites = await CompanySites.start();
    names = await NameServer.start(({ type }) => (type === 'A' ? ['127.0.0.1'] : []));
    product = await startProduct({
      env: {
        // Names below .example would be answered by the demonstration data.
        SANDBOX: 'off',
        LOG_LEVEL: 'error',
        // The run is asked after while it works.
        RATE_LIMIT_SCALE: '100',
        DNS_SERVERS: names.address,
        FETCH_ALLOW_HOSTS: sites.hosts.join(','),
        JOB_BOARD_URLS: Object.entries(sites.boardUrls)
          .map(([board, url]) => `${board}=${url}`)
          .join(','),
      },
    });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
  });
  afterAll(async () => {
    const broken = await brokenInvariants(product.database!.database);
    await product.dispose();
    names.stop();
    sites.stop();
    rmSync(dir, { recursive: true, force: true });
    expect(broken).toEqual({});
  });

  async function allOf(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor = ''; ;) {
      const { body } = await api.get<Item>(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`);
      items.push(...(body.items as Item[]));
      if (!body.next_cursor) return items;
      cursor = `&cursor=${encodeURIComponent(body.next_cursor as string)}`;
    }
  }

  it('becomes a table, and a run fills what their sites use, link and have open', async () => {
    const file = join(dir, 'companies.csv');
    writeFileSync(
      file,
      ['name,site', ...COMPANY_SITES.map((site) => `${site.name},${sites.url(site)}`)].join('\n'),
    );
    const workspace = (await api.post<Item>('/v1/workspaces', { name: 'Companies' })).body.id as string;
    const imported = await runAdmin({ DATABASE_URL: product.database!.url, DATA_DIR: dir }, [
      'table:import',
      '--workspace',
      workspace,
      '--file',
      file,
    ]);
    expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)]);

    const prompt = 'From my table "companies": everyone';
    const plan = (await api.post<Item>('/v1/plans', { prompt, workspace_id: workspace })).body;
    const columns = COLUMNS.map(({ key, service, field }) => ({
      key,
      required: false,
      fragments: [],
      from: 'user',
      source: { from: 'service', service, inputs: { domain: 'site' }, field },
    }));
    const began = performance.now();
    const started = await api.post<Item>(plan.links.runs, {
      intent: {
        ...plan.intent,
        columns,
        count: { value: COMPANY_SITES.length, fragments: [], from: 'user' },
      },
    });
    expect([started.status, started.body]).toEqual([202, expect.anything()]);
    const run = await waitFor(
      'the run to end',
      async () => {
        const { body } = await api.get<Item>(started.body.links.self as string);
        return ['completed', 'failed', 'cancelled'].includes(body.status as string) ? body : null;
      },
      170_000,
    );
    expect(run).toMatchObject({ status: 'completed' });
    printMeasurement(
      `200 sites, ${COLUMNS.length} columns: ${((performance.now() - began) / 1000).toFixed(1)} s`,
    );

    const rows = await allOf(run.artifacts[0].links.rows as string);
    const last = (url: string | null): string | undefined => url?.split('/').at(-1);
    const found = rows.map(({ values: { name, tech, linkedin, x, open } }) => ({
      name,
      tech: [...((tech as string[] | null) ?? [])].sort(),
      open: open ?? [],
      linkedin: last(linkedin as string | null),
      x: last(x as string | null),
    }));
    const truth = COMPANY_SITES.map(({ name, truth: { tech, socials, jobs } }) => ({
      name,
      tech: [...tech].sort(),
      open: jobs,
      linkedin: socials.linkedin_url,
      x: socials.x_url,
    }));
    const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name);
    expect(found.sort(byName)).toEqual(truth.sort(byName));

    const ledger = await allOf(`/credits/ledger?run_id=${run.id}`);
    const calls = ledger.map(({ service, input_index: row }) => `${service} ${row}`);
    expect(new Set(calls).size).toBe(calls.length);
    expect(calls.filter((each) => each.startsWith('detectTech'))).toHaveLength(
      truth.filter(({ tech }) => tech.length > 0).length,
    );
  });
});
