import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { declaredStatements } from '@quarry/postgres';
import { waitFor } from '@quarry/test-servers';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import pg from 'pg';
import { PLAN_LIBRARIES, planCases, READS_MORE, type PlanCase } from './statement-plans.cases.js';
import {
  PLAN_TABLES,
  planSeeds,
  rowsOfNewestTable,
  WORKSPACES,
  type PlanOrganisation,
} from './statement-plans.seeds.js';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OWN = { name: 'own', rows: 10_000, firstRowSet: 1 };
const PLAN_CASES = planCases(OWN, WORKSPACES);
// Declares the statements.
for (const library of PLAN_LIBRARIES) await import(join(ROOT, library, 'src/index.ts'));
/** Rows that a statement may read for each that it finds: a join reads some, and a filter that nearly all rows pass. */
const FACTOR = 10;
/** A look-up by key takes some pages, however little it finds. */
const LEAST = 5;
const SMALL_PAGES = 100;
/** A statement whose page is a parameter, or that is given a list: each of them is looked at here, or named with the reason why not. */
const IS_LIST = /^\s*(SELECT|WITH)(?![^]*\b(INSERT|UPDATE|DELETE)\b)[^]*LIMIT \$/;
const TAKES_LIST = /\b(unnest|ANY|jsonb_(to_recordset|array_elements|object_keys|each)) ?\(\$/;

/** An organisation of the same size, whose rows must not be read. */
const OTHER = { ...OWN, name: 'other', firstRowSet: 1 + OWN.rows };
const CALLS_FUNCTION = /\b(FROM|SELECT) (jobs|credits)\.\w+\(/;

describe.each([
  ['without statistics', 'none'],
  ['with statistics', 'all'],
  ['with statistics from before its organisation', 'earlier'],
])('a statement %s, with much data in two organisations', (_, statistics) => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await openEmptyDatabase();
    await fillDatabase(test, statistics === 'earlier' ? [OTHER] : [OTHER, OWN]);
    if (statistics !== 'none') for (const table of PLAN_TABLES) await test.asAdmin(`ANALYZE ${table}`);
    if (statistics === 'earlier') await fillDatabase(test, [OWN]);
    await test.asAdmin(rowsOfNewestTable(OWN));
  }, 300_000);
  afterAll(() => test.drop());

  it.each(
    PLAN_CASES.filter((each) => statistics === 'all' || !each.readsMoreWithoutStatistics).map(
      (each) => [`${each.name}${each.as ? `, ${each.as}` : ''}`, each] as const,
    ),
  )('%s reads at most ten times the rows it finds', async (_name, statementCase) => {
    for (const plan of await plansOf(test, statementCase)) {
      const { finds: found = plan['Actual Rows'], passes = 0 } = statementCase;
      // An organisation that the statistics do not know looks small. One pass over its rows may be planned, one for each item not.
      const onePass = statistics === 'earlier' ? 2 * OWN.rows : 0;
      const most = FACTOR * Math.max(found, LEAST) + onePass;
      expect(found).toBeGreaterThan(0);
      expect(readIn(plan, () => true)).toBeLessThanOrEqual(passes + most);
      expect(readIn(plan, (node) => !isIndexOnly(node))).toBeLessThanOrEqual(most);
      // A page of an index has fifty keys or more; half of them may be gone. A write touches all indexes of what it writes.
      if (!writes(plan)) expect(pagesOf(plan)).toBeLessThanOrEqual(passes / 25 + most);
    }
  });

  it('is covered here if it is or receives a list, or is exempt with a reason', () => {
    const known = PLAN_CASES.map(({ name }) => name);
    const reasons = Object.keys(READS_MORE);
    const lists = declaredStatements().filter(({ text }) => IS_LIST.test(text) || TAKES_LIST.test(text));
    expect(lists.length).toBeGreaterThan(90);
    const names = lists.map(({ name }) => name).filter((name) => !known.includes(name));
    const isMeant = (name: string, reason: string): boolean =>
      reason.endsWith('*') ? name.startsWith(reason.slice(0, -1)) : name === reason;
    expect(names.filter((name) => !reasons.some((reason) => isMeant(name, reason)))).toEqual([]);
  });
});

describe('a plan that a connection made while the tables were empty', () => {
  const kept = PLAN_CASES.filter(({ name, readsMoreWithoutStatistics }) => {
    const { isPrepared, text } = declaredStatements().find((each) => each.name === name)!;
    return (isPrepared || CALLS_FUNCTION.test(text)) && !readsMoreWithoutStatistics;
  });
  let test: TestDatabase;
  let client: pg.Client;

  /** Runs a statement that was prepared before, and undoes what it writes. */
  const explain = async (sql: string, params: readonly unknown[], scope: string): Promise<PlanNode> => {
    await client.query('BEGIN');
    await client.query("SELECT set_config('app.org_id', $1, true)", [scope]);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}${params.length === 0 ? '' : `(${params.map(literal).join(', ')})`}`,
    );
    await client.query('ROLLBACK');
    return rows[0]!['QUERY PLAN'][0].Plan;
  };
  /** @returns the pages that a job needs from its claim to its end, which is charged */
  const workOn = async (id: string): Promise<number> => {
    const claim = JSON.stringify([{ id, token: 'own', hold: `hold_${id}` }]);
    const end = {
      id,
      token: 'own',
      state: 'completed',
      result: { found: true },
      provider: 'sandbox',
      charge: 1000,
    };
    await client.query('BEGIN');
    await client.query("SELECT set_config('app.org_id', '*', true)");
    let pages = 0;
    for (const call of [
      `SELECT * FROM jobs.claim_jobs(${literal(claim)}, 30000, 3, 9)`,
      `SELECT jobs.settle_jobs(${literal(JSON.stringify([end]))})`,
    ]) {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${call}`,
      );
      pages += pagesOf(rows[0]!['QUERY PLAN'][0].Plan);
    }
    const { rowCount } = await client.query('SELECT FROM credits.transfers WHERE hold_id = $1', [
      `hold_${id}`,
    ]);
    expect(rowCount).toBe(1);
    await client.query('COMMIT');
    return pages;
  };
  const run = (index: number): Promise<PlanNode> => {
    const { params, isSystem } = kept[index]!;
    return explain(`EXECUTE kept_${index}`, params, isSystem ? '*' : 'org_own');
  };

  beforeAll(async () => {
    test = await openEmptyDatabase();
    client = new pg.Client(test.url);
    await client.connect();
    // As the connections for statements by key have it, and as a plan comes to be kept after five calls.
    await client.query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan');
    for (const [index, { name }] of kept.entries()) {
      const { text } = declaredStatements().find((each) => each.name === name)!;
      await client.query(`PREPARE kept_${index} AS ${text}`);
      await run(index);
    }
    await test.asAdmin(FIRST_JOB);
    await workOn('job_first');
    await test.asAdmin('DELETE FROM jobs.lines; DELETE FROM jobs.jobs; DELETE FROM jobs.batches');
    // A connection that sleeps while many tables of its server change, as those of other specs do, loses count of the changes, and
    // makes all its plans again. This one listens.
    const listening = setInterval(() => void client.query('SELECT 1'), 50);
    for (const seed of planSeeds([OTHER, OWN])) await test.asAdmin(seed);
    clearInterval(listening);
  }, 300_000);
  afterAll(async () => {
    await client.end();
    await test.drop();
  });

  it.each(kept.map(({ name, as }, index) => [`${name}${as ? `, ${as}` : ''}`, index] as const))(
    'of %s reads at most ten times the rows it finds',
    async (_name, index) => {
      const first = await run(index);
      const plan = writes(first) ? first : await run(index);
      const { finds: found = plan['Actual Rows'] } = kept[index]!;
      const most = FACTOR * Math.max(found, LEAST);
      expect(readIn(plan, () => true)).toBeLessThanOrEqual(most);
      if (!writes(plan)) expect(pagesOf(plan)).toBeLessThanOrEqual(most);
    },
  );

  it('of the functions that claim and end a job reads a few pages', async () => {
    // Triggers read pages of the catalogue at their first call.
    await workOn(`job_own_${OWN.rows}`);
    const pages = await workOn(`job_own_${OWN.rows - 1}`);
    // Three writes of the job in its indexes, a hold, a charge, the batch and its event.
    expect(pages).toBeLessThanOrEqual(4 * FACTOR * LEAST);
  });
});

/** A job that waits, with its batch and the account that pays. */
const FIRST_JOB = `
  INSERT INTO credits.accounts (id, org_id, mode, granted, available) VALUES ('org_own:live', 'org_own', 'live', 1000000, 1000000);
  INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines) VALUES ('batch_first', 'org_own', 'live', 'getEmail', 1, 1);
  INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, state, price)
    VALUES ('job_first', 'org_own', 'live', 'getEmail', 'batch_first', 0, 'queued', 1000);
  INSERT INTO jobs.lines (batch_id, input_index, org_id, job_id, reused) VALUES ('batch_first', 0, 'org_own', 'job_first', false)`;

/** @returns a database in which nobody but this spec says when there are statistics */
async function openEmptyDatabase(): Promise<TestDatabase> {
  const test = await createTestDatabase();
  for (const table of PLAN_TABLES)
    await test.asAdmin(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  return test;
}

async function fillDatabase(test: TestDatabase, organisations: readonly PlanOrganisation[]): Promise<void> {
  // A row that has not reached the log yet is none that VACUUM may call visible to all.
  for (const seed of planSeeds(organisations)) await test.asAdmin(`SET synchronous_commit = on; ${seed}`);
  for (const table of PLAN_TABLES) await vacuum(test, table);
}

/**
 * VACUUM counts rows by the pages that it reads, and the planner goes by that count: here it reads all of them each time, also one that
 * somebody else holds at that moment.
 */
async function vacuum(test: TestDatabase, table: string): Promise<void> {
  await waitFor(`the rows of ${table} to be visible to all`, async () => {
    await test.asAdmin(`VACUUM (DISABLE_PAGE_SKIPPING) ${table}`);
    const [pages] = await test.database.query<{ isVisible: boolean }>(
      systemCtx('plans'),
      'SELECT relallvisible >= relpages AS "isVisible" FROM pg_class WHERE oid = $1::regclass',
      [table],
    );
    return pages!.isVisible;
  });
}

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
function plansOf(test: TestDatabase, { name, params, isSystem }: PlanCase): Promise<PlanNode[]> {
  const statement = declaredStatements().find((each) => each.name === name)!;
  const modes = statement.isPrepared ? ['force_custom_plan', 'force_generic_plan'] : ['force_custom_plan'];
  const undone = new Error('What it has written is undone.');
  const plans: PlanNode[] = [];
  return test.database
    .transaction(isSystem ? systemCtx('plans') : testCtx('org_own'), async (tx) => {
      const planned = `planned_${(prepared += 1)}`;
      await test.database.query(tx, `PREPARE ${planned} AS ${statement.text}`);
      for (const mode of modes) {
        await test.database.query(tx, `SET LOCAL plan_cache_mode = ${mode}`);
        const explain = async (): Promise<PlanNode> => {
          const [row] = await test.database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
            tx,
            `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE ${planned}${params.length === 0 ? '' : `(${params.map(literal).join(', ')})`}`,
          );
          return row!['QUERY PLAN'][0].Plan;
        };
        const first = await explain();
        // A connection that runs a function for the first time also reads pages of the catalogue.
        plans.push(writes(first) ? first : await explain());
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

/** Returns true for a table of a few pages, which is read whole: that costs less than to look anything up. */
function isSmall(node: PlanNode): boolean {
  return node['Node Type'] === 'Seq Scan' && pagesOf(node) <= SMALL_PAGES;
}

function isIndexOnly(node: PlanNode): boolean {
  return node['Node Type'] === 'Index Only Scan' && node['Heap Fetches'] === 0;
}

function writes(node: PlanNode): boolean {
  return node['Node Type'] === 'ModifyTable' || (node.Plans ?? []).some(writes);
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
