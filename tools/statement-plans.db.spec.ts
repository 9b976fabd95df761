import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { declaredStatements, tenantOf, type Statement } from '@quarry/platform';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { PLAN_SEEDS, PLAN_TABLES, ROWS, WORKSPACES } from './statement-plans.seeds.js';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ROOMS = ['service-jobs', 'runs', 'go', 'tables'];
const ctx = testCtx('org_own');
const TENANT = tenantOf(ctx);
const PAGE = 50;
/** So deep that reading what lies before shows, and not so deep that a sort of all rows would be cheaper at this size. */
const DEEP = ROWS / 5;
/** Rows that a statement may read for each that it finds: a join reads some, and a filter that nearly all rows pass. */
const FACTOR = 10;

const SMALL_PAGES = 64;

interface Case {
  /** Name of the statement, and what it is asked for. */
  name: string;
  as?: string;
  params: readonly unknown[];
  /** How many rows it is about, where it writes them into one text. */
  finds?: number;
  /** Rows that an offset passes over, or that it is compared with: steps of an index, which read no row. */
  passes?: number;
  readsMoreWithoutStatistics?: true;
}

const jobs = (state: string, as: string, service: string | null, offset = 0): Case => ({
  name: `batch-json.listJobs.${state}.ofAll`,
  as,
  params: [TENANT, state === 'any' ? null : state, service, null, PAGE + 1, offset],
  passes: offset,
});
const runs = (as: string, workspace: string | null, conversation: string | null, offset = 0): Case => ({
  name: 'run.list',
  as,
  params: [TENANT, workspace, '', conversation, PAGE + 1, offset],
  // The open workspaces are read once: an organisation has thousands of them here alone.
  passes: offset + WORKSPACES,
});
const goRuns = (as: string, status: string | null, offset = 0): Case => ({
  name: 'go-run.list',
  as,
  params: [TENANT, status, PAGE + 1, offset],
  passes: offset,
});
const inPages = (name: string, offset: number, ...more: unknown[]): Case => ({
  name,
  as: offset === 0 ? 'first page' : 'deep',
  params: [TENANT, PAGE, offset, ...more],
  finds: PAGE + 1,
  passes: offset,
});

const CASES: readonly Case[] = [
  jobs('any', 'first page', null),
  jobs('any', 'deep', null, DEEP),
  jobs('any', 'of a service', 'getEmail'),
  jobs('any', 'of a service, deep', 'getEmail', DEEP),
  jobs('queued', 'few of many', null),
  jobs('running', 'few of many', null),
  jobs('cancelled', 'few of many', null),
  jobs('completed', 'first page', null),
  jobs('completed', 'deep', null, DEEP),
  jobs('completed', 'of a service, deep', 'getEmail', DEEP),
  jobs('failed', 'of a service, deep', 'getEmail', ROWS / 10),
  runs('first page', null, null),
  runs('deep', null, null, DEEP),
  runs('of a workspace, deep', 'ws_own_1', null, DEEP),
  runs('of a workspace, few of many', 'ws_own_2', null),
  {
    ...runs('of a conversation, few of many', null, 'conv_own_2'),
    // All indexes of runs look alike then; a table of that size has statistics within a minute.
    readsMoreWithoutStatistics: true,
  },
  goRuns('first page', null),
  goRuns('deep', null, DEEP),
  goRuns('few of many', 'failed'),
  goRuns('of a status, deep', 'completed', DEEP),
  inPages('workspaces.list', 0, ''),
  inPages('workspaces.list', DEEP, ''),
  inPages('exclusions.list', 0, 'companies'),
  inPages('exclusions.list', DEEP, 'companies'),
];

describe.each([
  ['without statistics', false],
  ['with statistics', true],
])('a statement %s, where two organisations have much', (_, hasStatistics) => {
  let test: TestDatabase;

  beforeAll(async () => {
    for (const room of ROOMS) await import(join(ROOT, 'libs', room, 'src/index.ts'));
    test = await createTestDatabase();
    // Nobody but this spec says when there are statistics.
    for (const table of PLAN_TABLES)
      await test.asAdmin(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    // What has not reached the log yet is no row that VACUUM may call visible to all.
    for (const seed of PLAN_SEEDS) await test.asAdmin(`SET synchronous_commit = on; ${seed}`);
    for (const table of PLAN_TABLES) await test.asAdmin(`VACUUM ${table}`);
    if (hasStatistics) for (const table of PLAN_TABLES) await test.asAdmin(`ANALYZE ${table}`);
  }, 300_000);
  afterAll(() => test.drop());

  it.each(
    CASES.filter((each) => hasStatistics || !each.readsMoreWithoutStatistics).map(
      (each) => [`${each.name}${each.as ? `, ${each.as}` : ''}`, each] as const,
    ),
  )('%s reads no more than ten times what it finds', async (_name, { name, params, finds, passes = 0 }) => {
    const statement = declaredStatements().find((each) => each.name === name)!;
    for (const plan of await plansOf(test, statement, params)) {
      const found = finds ?? plan['Actual Rows'];
      const most = FACTOR * Math.max(found, 1);
      expect(found).toBeGreaterThan(0);
      expect(readIn(plan, () => true)).toBeLessThanOrEqual(passes + most);
      expect(readIn(plan, (node) => !isIndexOnly(node))).toBeLessThanOrEqual(most);
      // A page of an index has fifty keys or more; half of them may be gone.
      expect(pagesOf(plan)).toBeLessThanOrEqual(passes / 25 + most);
    }
  });
});

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Heap Fetches'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

let prepared = 0;

/** Returns what PostgreSQL did for a statement; a prepared one also by the plan that it keeps for all parameters. */
function plansOf(test: TestDatabase, statement: Statement, params: readonly unknown[]): Promise<PlanNode[]> {
  const modes = statement.isPrepared ? ['force_custom_plan', 'force_generic_plan'] : ['force_custom_plan'];
  const undone = new Error('What it has written is undone.');
  const plans: PlanNode[] = [];
  return test.database
    .transaction(ctx, async (tx) => {
      const planned = `planned_${(prepared += 1)}`;
      await test.database.query(tx, `PREPARE ${planned} AS ${statement.text}`);
      for (const mode of modes) {
        await test.database.query(tx, `SET LOCAL plan_cache_mode = ${mode}`);
        const [row] = await test.database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          tx,
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE ${planned}${params.length === 0 ? '' : `(${params.map(literal).join(', ')})`}`,
        );
        plans.push(row!['QUERY PLAN'][0].Plan);
      }
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
      return plans;
    });
}

/** Returns how many rows the nodes of a plan have read, found or not. */
function readIn(node: PlanNode, counts: (node: PlanNode) => boolean): number {
  const here =
    node['Relation Name'] !== undefined && counts(node) && !isSmall(node)
      ? (node['Actual Rows'] +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)) *
        node['Actual Loops']
      : 0;
  return (node.Plans ?? []).reduce((sum, each) => sum + readIn(each, counts), here);
}

/** What fits into a few pages is read whole: that costs less than to look anything up. */
function isSmall(node: PlanNode): boolean {
  return node['Node Type'] === 'Seq Scan' && pagesOf(node) <= SMALL_PAGES;
}

function isIndexOnly(node: PlanNode): boolean {
  return node['Node Type'] === 'Index Only Scan' && node['Heap Fetches'] === 0;
}

function pagesOf(plan: PlanNode): number {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  const text = Array.isArray(value)
    ? `{${value.map((each) => JSON.stringify(each)).join(',')}}`
    : String(value);
  return `'${text.replace(/'/g, "''")}'`;
}
