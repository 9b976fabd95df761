import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import type { RowJson, RunJson } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import type { RunPlan } from '@quarry/plan';
import { filtersHonoured } from '@quarry/plan-compiler';
import { ApiClient, startProduct, type Product } from '@quarry/testing';
import { generatePrompts, WRITTEN_PROMPTS } from '@quarry/prompt-fixtures';
import { printMeasurement } from '@quarry/test-servers';
import { CONVERSATIONS, type Verdict } from './conversations.fixture.js';

/** Number of generated prompts. QUARRY_PROMPTS=200 makes a longer test. */
const GENERATED = Number(process.env.QUARRY_PROMPTS ?? 10);
const SEED = 20_261_121;
/** Number of concurrent runs: each has its own conversation. */
const PARALLEL = 6;

let product: Product;
let api: ApiClient;

beforeAll(async () => {
  product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error' } });
  const made = await createOrganisation(product.database!.database, { name: 'Prompts', credits: 1_000_000 });
  // A live key gets no results for companies outside the demonstration data.
  api = new ApiClient(product.baseUrl, made.testKey);
});
afterAll(() => product.dispose());

interface Journal {
  plan: RunPlan;
  rows: Array<{ id: string; evidence: Record<string, unknown> }>;
}

/** Returns the plan of a run, and the facts about each row beyond its columns. */
async function journalOf(runId: string): Promise<Journal> {
  const row = await product.database!.database.queryOne<{
    plans: Array<{ plan: RunPlan }>;
    rows: Journal['rows'];
  }>(
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
  const run = await api.runEnd(started.body);
  if (run.status !== 'completed') return [`ended ${run.status}: ${run.error?.code}`];
  const { plan, rows } = await journalOf(run.id);
  // By then, earlier runs have made hundreds of tables named "Companies: …" and "People: …".
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

/** Sends prompts one after the other in one conversation. @returns each run with its cost and the rows of its table */
async function converse(prompts: readonly string[], before: object = {}): Promise<RunResult[]> {
  const results: RunResult[] = [];
  let place = before;
  for (const prompt of prompts) {
    const started = await api.post<RunJson>('/v1/runs', { prompt, ...place });
    expect([prompt, started.status]).toEqual([prompt, 202]);
    place = { conversation_id: started.body.conversation_id };
    results.push(...(await followed([started.body])));
  }
  return results;
}

/** Waits until runs have ended. @returns each run with its cost and the rows of its table */
async function followed(started: readonly RunJson[]): Promise<RunResult[]> {
  const results: RunResult[] = [];
  for (const each of started) {
    const run = await api.runEnd(each);
    const ledger = await api.get<{ items: Array<{ amount: number }> }>(
      `/credits/ledger?run_id=${run.id}&limit=100`,
    );
    const [table] = run.artifacts;
    const rows = table
      ? (await api.get<{ items: RowJson[] }>(`${table.links.rows}?limit=1000`)).body.items
      : [];
    results.push({ run, rows, cost: ledger.body.items.reduce((sum, { amount }) => sum - amount, 0) });
  }
  return results;
}

interface RunResult {
  readonly run: RunJson;
  readonly rows: RowJson[];
  /** Credits of the run in the ledger. */
  readonly cost: number;
}

describe('a follow-up prompt, over HTTP', () => {
  const idsOf = (rows: readonly RowJson[]): string[] => rows.map(({ id }) => id);
  const artifactOf = ({ run }: RunResult): unknown => run.artifacts.map(({ id, effect }) => [id, effect]);

  it('finds people of the previous companies, and then filters their rows without buying anything', async () => {
    const [companies, people, verified, added] = await converse([
      'software companies in the UK with more than 50 employees',
      'and the CEOs there with work email',
      'only verified emails please',
      'also add their phone',
    ]);
    const domains = new Set(companies!.rows.map(({ values }) => values.domain));
    expect(people!.rows.length).toBeGreaterThan(0);
    expect(people!.rows.filter(({ values }) => !domains.has(values.company_domain))).toEqual([]);
    for (const filter of [
      'industry: Software',
      'place: United Kingdom',
      'headcount: 51 or more',
      'role: CEO',
    ])
      expect(verified!.run.message).toContain(filter);
    const isSure = ({ cells }: RowJson): boolean =>
      cells.email?.status === 'filled' && cells.email.confidence === 'high';
    expect(idsOf(verified!.rows)).toEqual(idsOf(people!.rows.filter(isSure)));
    expect(artifactOf(verified!)).toEqual([[people!.run.artifacts[0]!.id, 'updated']]);
    expect([people!.cost > 0, verified!.cost]).toEqual([true, 0]);
    // Paid values stay, and the new column is filled for the remaining rows.
    expect(artifactOf(added!)).toEqual(artifactOf(verified!));
    expect(idsOf(added!.rows)).toEqual(idsOf(verified!.rows));
    for (const { cells } of added!.rows) {
      expect(cells.email?.status).toBe('filled');
      expect(['filled', 'empty']).toContain(cells.phone?.status);
    }
  });

  it('adds a column to the same table, and pays for no other again', async () => {
    const [first, second] = await converse([
      '3 CTOs in Germany with work email',
      'also add the description of their companies',
    ]);
    expect(artifactOf(second!)).toEqual([[first!.run.artifacts[0]!.id, 'updated']]);
    expect(second!.cost).toBe(0);
    expect(idsOf(second!.rows)).toEqual(idsOf(first!.rows));
    expect(second!.rows.map(({ values }) => typeof values.company_description)).toEqual(
      Array(3).fill('string'),
    );
    expect(second!.rows.map(({ cells }) => cells.email)).toEqual(first!.rows.map(({ cells }) => cells.email));
  });

  it('pays only for additional rows, in the same table', async () => {
    const [first, more] = await converse(['3 CTOs in Germany with work email', '2 more']);
    expect(artifactOf(more!)).toEqual([[first!.run.artifacts[0]!.id, 'updated']]);
    const filled = (rows: readonly RowJson[]) => rows.filter(({ cells }) => cells.email?.status === 'filled');
    expect(idsOf(more!.rows)).toEqual([...idsOf(first!.rows), ...idsOf(more!.rows).slice(3)]);
    expect(more!.rows).toHaveLength(5);
    expect(more!.cost).toBe(filled(more!.rows).length - filled(first!.rows).length);
  });

  it('adds the requested number of rows, without duplicates, after changes to the previous rows', async () => {
    const [, , berlin, more, sorted, named] = await converse([
      '6 CEOs in Germany with work email',
      'also add the description of their companies',
      'only in Berlin',
      '2 more',
      'sort them by name',
      'show 7',
    ]);
    expect(berlin!.rows.length).toBeLessThan(6);
    expect(more!.rows).toHaveLength(berlin!.rows.length + 2);
    for (const { rows } of [more!, named!])
      expect(new Set(rows.map(({ values }) => values.linkedin_url)).size).toBe(rows.length);
    expect(artifactOf(named!)).toEqual(artifactOf(sorted!));
    // Earlier rows stay, even when the first seven by name are others.
    const others = named!.rows.length - 7;
    expect(others).toBeGreaterThan(0);
    expect(named!.run.message).toContain(`”, next to ${others} from earlier runs.`);
  });

  it('for fewer rows puts them into a new table, where nothing is paid again', async () => {
    const [all, few] = await converse(['5 CTOs in Germany with work email', 'the first 3 only']);
    expect([idsOf(all!.rows).length, few!.rows.length, few!.cost]).toEqual([5, 3, 0]);
    expect(few!.run.artifacts[0]).toMatchObject({ effect: 'created' });
  });

  it('continues with the existing rows, whatever was said in between', async () => {
    const [first, second, cost, file, undo, third, sorted] = await converse([
      '60 heads of sales in Germany with work email',
      'only those in Berlin',
      'how much did this cost?',
      'export',
      'undo',
      'only those at companies with more than 50 employees',
      'sort them by company name',
    ]);
    const inBerlin = first!.rows.filter(({ values }) => values.city === 'Berlin');
    expect(inBerlin.length).toBeGreaterThan(0);
    expect(idsOf(second!.rows)).toEqual(idsOf(inBerlin));
    expect(second!.run.message).toContain('role: Head of Sales');
    expect(second!.run.message).toContain('Berlin');
    // A table keeps the name from its first prompt.
    const { id, name } = first!.run.artifacts[0]!;
    expect(name).toBe('People: Head of Sales, Germany');
    expect(second!.run.artifacts).toMatchObject([{ id, name }]);
    expect(second!.run.message).toContain(`the table “${name}”`);
    expect(sorted!.run.artifacts).toMatchObject([{ id, name, effect: 'updated' }]);
    expect(idsOf(sorted!.rows).sort()).toEqual(idsOf(third!.rows).sort());
    for (const each of [cost!, file!, undo!]) expect([each.run.artifacts, each.cost]).toEqual([[], 0]);
    expect(cost!.run.message).toContain('Berlin');
    expect(file!.run.message).toContain('People');
    // The context is that of the rows before the question, not of the question.
    expect(third!.run.message).toContain('role: Head of Sales');
    expect(third!.run.message).toContain('Berlin');
    expect(third!.rows.filter(({ values }) => values.country !== 'Germany')).toEqual([]);
    expect([second!.cost, third!.cost, sorted!.cost]).toEqual([0, 0, 0]);
    expect(sorted!.run.message).toContain('Berlin');
    const names = sorted!.rows.map(({ values }) => String(values.company_name));
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));
    // The published output of the first run is unchanged.
    const published = await api.get<{ items: RowJson[] }>(
      `/v1/runs/${first!.run.id}/output/tables/people/rows?limit=100`,
    );
    expect(idsOf(published.body.items)).toEqual(idsOf(first!.rows));
  });

  it('leaves out what was excluded since, in its rows and in a second run of its plan, and buys nothing for it', async () => {
    const [first, ...more] = await converse([
      '12 heads of sales in France with a blue logo, with work email',
    ]);
    expect(more).toEqual([]);
    const { conversation_id: conversation, message } = first!.run;
    const [employer, person, ...others] = first!.rows;
    const exclude = async (kind: string, item: object): Promise<void> =>
      expect((await api.post(`/v1/exclusions/${kind}`, { items: [item] })).status).toBe(200);
    await exclude('companies', { domain: employer!.values.company_domain });
    await exclude('people', { linkedin_url: person!.values.linkedin_url });
    const isLeft = ({ values }: RowJson): boolean =>
      values.company_domain !== employer!.values.company_domain;
    const left = idsOf(others.filter(isLeft));
    // Running the plan is the consent. It searches again, so other rows may replace those that are gone.
    const [path] = /[/]v1[/]plans[/]plan_\w+[/]runs/.exec(message)!;
    const started = await api.post<RunJson>(path, {});
    const [consented] = await followed([started.body]);
    expect(artifactOf(consented!)).toEqual([[first!.run.artifacts[0]!.id, 'updated']]);
    expect(idsOf(consented!.rows)).toEqual(expect.arrayContaining(left));
    expect(idsOf(consented!.rows)).not.toContain(employer!.id);
    expect(idsOf(consented!.rows)).not.toContain(person!.id);
    const third = consented!.rows[0]!;
    await exclude('people', { linkedin_url: third.values.linkedin_url });
    const [added] = await converse(['also add their phone'], { conversation_id: conversation });
    expect(idsOf(added!.rows)).toEqual(idsOf(consented!.rows).filter((id) => id !== third.id));
    expect(added!.run.message).toContain('1 left out by your exclusion lists');
    const ledger = await api.get<{ items: Array<{ service: string }> }>(
      `/credits/ledger?run_id=${added!.run.id}&limit=100`,
    );
    expect(ledger.body.items.length).toBeLessThanOrEqual(added!.rows.length);
  });

  it('about something the rows lack gets a question: nothing is searched or bought', async () => {
    const [, people, verified] = await converse([
      'software companies in the UK with more than 50 employees',
      'and the CEOs there',
      'only verified emails please',
    ]);
    expect(verified!.run.artifacts).toEqual([]);
    expect(verified!.run.message).toMatch(/no column “Work email”.*[?]/);
    expect([people!.cost, verified!.cost]).toEqual([0, 0]);
    const [, lost] = await converse(['20 fintech companies in Germany', 'only the blorptastic ones']);
    expect(lost!.run.artifacts).toEqual([]);
    expect(lost!.run.message).toContain('blorptastic');
    expect(lost!.run.message).toContain('industry: Fintech');
    const [nobody] = await converse(['and the CFOs there, with work email']);
    expect([nobody!.run.artifacts, nobody!.cost]).toEqual([[], 0]);
    expect(nobody!.run.message).toContain('Which are meant?');
  });
});

describe('words of a prompt, over HTTP', () => {
  it('are understood as a sort order: newest by year', async () => {
    const [result] = await converse(['20 fintech companies in Germany, newest by year']);
    expect(result!.run.message).not.toContain('Not understood');
    const years = result!.rows.map(({ values }) => Number(values.founded_year));
    expect(years).toEqual([...years].sort((a, b) => b - a));
    expect(new Set(years).size).toBeGreaterThan(3);
  });

  it('are read as columns, not filters: technologies and job openings', async () => {
    const [result] = await converse(['5 software companies in Germany with technologies and job openings']);
    expect(result!.run.message).not.toContain('Not understood');
    expect(result!.rows).toHaveLength(5);
    for (const { values } of result!.rows)
      expect(Object.keys(values)).toEqual(expect.arrayContaining(['technologies', 'hiring_departments']));
  });

  it('are a new question if they start with "who", not one about the previous people', async () => {
    const [, who] = await converse([
      'founders of fintech companies',
      'who runs finance at retailers in France',
    ]);
    expect(who!.run.message).not.toContain('founder');
    expect(who!.run.message).not.toContain('Founder');
  });
});

/** @returns what is wrong with the result of a prompt */
function verdictFaults({ run, cost }: RunResult, verdict: Verdict): string[] {
  const isNamed = /ot understood|no table was made|was not understood/.test(run.message);
  const faults = [
    ...(run.status === 'completed' ? [] : [`ended ${run.status}`]),
    ...(verdict === 'rows' || cost === 0 ? [] : [`cost ${cost}`]),
    ...(['answered', 'asked'].includes(verdict) && run.artifacts.length > 0 ? ['made a table'] : []),
    ...(['rows', 'free'].includes(verdict) && run.artifacts.length === 0 ? ['made no table'] : []),
    ...(verdict === 'unread' && !isNamed ? ['names nothing'] : []),
    ...(['rows', 'free'].includes(verdict) && isNamed ? ['was not understood'] : []),
    ...(verdict === 'asked' && !/[?]/.test(run.message) ? ['asks nothing'] : []),
  ];
  return faults.map((fault) => `${fault}: ${run.message}`);
}

describe('conversations, over HTTP', () => {
  it(`pay nothing for what was not understood or for a question, in all ${CONVERSATIONS.length} conversations`, async () => {
    const waiting = [...CONVERSATIONS];
    const faults: Record<string, string[]> = {};
    let spent = 0;
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const results = await converse(next.map(([prompt]) => prompt));
        next.forEach(([prompt, verdict], i) => {
          spent += results[i]!.cost;
          const found = verdictFaults(results[i]!, verdict);
          if (found.length > 0) faults[`${prompt} (${verdict})`] = found;
        });
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    printMeasurement(
      `conversations: ${CONVERSATIONS.length}, which cost ${spent} credits for what was understood`,
    );
    expect(faults).toEqual({});
  }, 120_000);
});

describe('untuned prompts, over HTTP', () => {
  const prompts = [
    ...generatePrompts(GENERATED, SEED).map(({ prompt }) => prompt),
    ...WRITTEN_PROMPTS.map(([prompt]) => prompt),
  ];

  it(`never fail, and apply every stated filter to every row or report it (${prompts.length} prompts, seed ${SEED})`, async () => {
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

  it('without rows make no table, cost nothing, and get examples in the message', async () => {
    const { body: before } = await api.get<{ balance: number }>('/credits');
    const { body } = await api.post<RunJson>('/v1/runs', { prompt: 'asdf qwer with work email' });
    const run = await api.runEnd(body);
    expect(run).toMatchObject({ artifacts: [], output: null, error: null });
    expect(run.message).toContain('no table was made');
    expect(run.message).toContain('“asdf qwer”');
    expect(run.message).toContain('20 fintech companies in Berlin');
    const tables = await api.get<{ items: unknown[] }>(`/v1/workspaces/${run.workspace_id}/tables`);
    expect(tables.body.items).toEqual([]);
    expect((await api.get<{ balance: number }>('/credits')).body.balance).toBe(before.balance);
  });

  it('are not read from a table whose name they happen to contain', async () => {
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
