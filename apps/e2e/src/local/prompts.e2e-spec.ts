import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganisation } from '@quarry/composition';
import type { RowJson, RunJson } from '@quarry/dto';
import { systemCtx } from '@quarry/platform';
import { freePort } from '@quarry/local-postgres';
import { filtersHonoured, type RunPlan } from '@quarry/plan';
import { ApiClient, AppProcess, createTestDatabase, type TestDatabase } from '@quarry/testing';
import { generatePrompts, WRITTEN_PROMPTS } from '@quarry/prompt-fixtures';
import { waitFor } from '@quarry/test-servers';

/** QUARRY_PROMPTS=200 for a longer look. */
const GENERATED = Number(process.env.QUARRY_PROMPTS ?? 40);
const SEED = 20_261_121;
/** Runs at once: each is its own conversation. */
const PARALLEL = 6;

let database: TestDatabase;
let dataDir: string;
let product: AppProcess;
let api: ApiClient;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'quarry-prompts-'));
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    RATE_LIMIT_SCALE: '1000',
    LOG_LEVEL: 'error',
  };
  product = AppProcess.start('local', env);
  await product.printed('Press Ctrl-C to stop', 60_000);
  const { base_url: baseUrl } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as {
    base_url: string;
  };
  const { apiKey } = await createOrganisation(database.database, { name: 'Prompts', credits: 1_000_000 });
  api = new ApiClient(baseUrl, apiKey);
});

afterAll(async () => {
  await product.stop();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Journal {
  plan: RunPlan;
  rows: Array<{ id: string; evidence: Record<string, unknown> }>;
}

/** What the run planned, and what it knew of each row beyond the columns. */
async function journalOf(runId: string): Promise<Journal> {
  const row = await database.database.queryOne<{ plans: Array<{ plan: RunPlan }>; rows: Journal['rows'] }>(
    systemCtx('spec'),
    `SELECT p.result AS plans, r.result -> 'rows' AS rows FROM runs.steps p
     JOIN runs.steps r ON r.run_id = p.run_id AND r.name = 'table-0.rows' WHERE p.run_id = $1 AND p.name = 'plan'`,
    [runId],
  );
  return { plan: row!.plans[0]!.plan, rows: row!.rows };
}

async function faultsOf(prompt: string): Promise<string[]> {
  const started = await api.post<RunJson>('/v1/runs', { prompt });
  if (started.status !== 202) return [`answered ${started.status}`];
  const run = await waitFor(`"${prompt}" to end`, async () => {
    const { body } = await api.get<RunJson>(started.body.links.self);
    return ['completed', 'failed', 'cancelled'].includes(body.status) ? body : null;
  });
  if (run.status !== 'completed') return [`ended ${run.status}: ${run.error?.code}`];
  const { plan, rows } = await journalOf(run.id);
  // By then there are hundreds of tables "Companies" and "People", which earlier runs have made.
  if (plan.source.kind !== 'directory') return [`was read from ${JSON.stringify(plan.source)}`];
  const evidence = new Map(rows.map((row) => [row.id, row.evidence]));
  const unnamed = plan.notUnderstood
    .filter((fragment) => !run.message.includes(fragment))
    .map((fragment) => `not named: ${fragment}`);
  const { body } = await api.get<{ items: RowJson[] }>(`${run.artifacts[0]!.links.rows}?limit=1000`);
  const broken = body.items.flatMap((row) =>
    filtersHonoured({ ...row.values, ...evidence.get(row.id) }, plan)
      .filter(({ honoured }) => honoured === false)
      .map(({ filter }) => `row ${row.id} breaks ${filter}`),
  );
  const count =
    plan.count !== null && body.items.length > plan.count
      ? [`${body.items.length} rows for a wish of ${plan.count}`]
      : [];
  return [...unnamed, ...broken, ...count];
}

describe('prompts that nobody tuned the product to, over HTTP', () => {
  const prompts = [
    ...generatePrompts(GENERATED, SEED).map(({ prompt }) => prompt),
    ...WRITTEN_PROMPTS.map(([prompt]) => prompt),
  ];

  it(`none of ${prompts.length} fails, and every stated filter is honoured in every row or named in the message (seed ${SEED})`, async () => {
    const waiting = [...prompts];
    const faults: Record<string, string[]> = {};
    const worker = async (): Promise<void> => {
      for (let prompt = waiting.shift(); prompt !== undefined; prompt = waiting.shift()) {
        const found = await faultsOf(prompt);
        if (found.length > 0) faults[prompt] = found;
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    expect(faults).toEqual({});
  }, 240_000);

  it('one that says nothing of rows makes no table and costs nothing, and its message says what would work', async () => {
    const { body: before } = await api.get<{ balance: number }>('/credits');
    const { body } = await api.post<RunJson>('/v1/runs', { prompt: 'asdf qwer with work email' });
    const run = await waitFor('the run to end', async () => {
      const { body: now } = await api.get<RunJson>(body.links.self);
      return now.status === 'completed' ? now : null;
    });
    expect(run).toMatchObject({ artifacts: [], output: null, error: null });
    expect(run.message).toContain('no table was made');
    expect(run.message).toContain('“asdf qwer”');
    expect(run.message).toContain('20 fintech companies in Berlin');
    const tables = await api.get<{ items: unknown[] }>(`/v1/workspaces/${run.workspace_id}/tables`);
    expect(tables.body.items).toEqual([]);
    expect((await api.get<{ balance: number }>('/credits')).body.balance).toBe(before.balance);
  });

  it('none is read from a table whose name it happens to say', async () => {
    const { body: workspace } = await api.post<{ id: string }>('/v1/workspaces', { name: 'Names' });
    for (const name of ['Companies', 'People', 'Germany', 'Fintech', 'HubSpot']) {
      const table = { name, columns: [{ key: 'name', name: 'Name' }], rows: [{ name: 'Nobody' }] };
      expect((await api.post(`/v1/workspaces/${workspace.id}/tables`, table)).status).toBe(201);
    }
    const prompts = [
      'List companies in Germany with more than 100 staff',
      'Build a people list of 20 CTOs in Boston',
      'Build a list of people at companies in Germany that use HubSpot',
      '10 marketing directors at companies with more than 500 employees',
      'people in fintech, in Germany',
      'Companies: fintech, in Berlin',
      'a fintech companies list for Paris',
      'heads of sales, exclude anyone at companies with over 500 employees',
    ];
    const faults = await Promise.all(prompts.map(faultsOf));
    expect(Object.fromEntries(prompts.map((prompt, i) => [prompt, faults[i]]))).toEqual(
      Object.fromEntries(prompts.map((prompt) => [prompt, []])),
    );
  });
});
