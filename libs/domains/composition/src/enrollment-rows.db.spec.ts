import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cellOf, type CellJson, type ColumnJson } from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import { ExclusionMatcher, TableReader, TableWriter } from '@quarry/tables';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { EnrollmentRowsAdapter } from './tables.adapter.js';

const KINDS = {
  email: 'email',
  other_email: 'email',
  status: 'text',
  website: 'domain',
  profile: 'linkedin_url',
};
const COLUMNS = Object.entries(KINDS).map(
  ([key, kind]) => ({ key, name: key, kind, qualification: {} }) as ColumnJson,
);
const EARLIER = '2026-01-01T00:00:00.000Z';
const LATER = '2026-02-01T00:00:00.000Z';

const test = useTestDatabase();
let adapter: EnrollmentRowsAdapter;
let ctx: Ctx;
let orgs = 0;

beforeAll(() => {
  const exclusions = new ExclusionMatcher(test.database);
  adapter = new EnrollmentRowsAdapter(new TableReader(test.database), exclusions, test.database);
});
beforeEach(() => {
  ctx = testCtx(`org_rows_${++orgs}`);
});

function cell(service: string, jobId: string | null, at = EARLIER, provider = 'spec'): CellJson {
  const source = { service, provider, job_id: jobId };
  return cellOf('filled', { confidence: 'high', updated_at: at, source });
}

/** Creates a table of an organisation. @returns its id, and the ids of its rows */
async function table(
  rows: Array<{ values: Record<string, unknown>; cells?: Record<string, CellJson> }>,
): Promise<{ tableId: string; ids: string[] }> {
  const writer = new TableWriter(test.database);
  const workspaceId = await writer.createWorkspace(ctx, 'Spec');
  const tableId = newId('tbl');
  await writer.createTable(ctx, { id: tableId, workspaceId, name: 'People', columns: COLUMNS });
  const ids = rows.map(() => newId('row'));
  await writer.appendRows(
    ctx,
    tableId,
    rows.map((row, i) => ({ id: ids[i]!, ...row })),
  );
  return { tableId, ids };
}

/** Inserts an ended job of getEmail with this result. */
async function job(result: Record<string, unknown>): Promise<string> {
  const [batch, id] = [newId('svcbatch'), newId('svcjob')];
  await test.database.transaction(ctx, async (tx) => {
    await test.database.query(
      tx,
      `INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, completed_at) VALUES ($1, $2, $3, 'getEmail', 1, 0, clock_timestamp())`,
      [batch, ctx.orgId, ctx.mode],
    );
    await test.database.query(
      tx,
      `INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, state, price, result, provider, completed_at)
       VALUES ($1, $2, $3, 'getEmail', $4, 0, 'completed', 1000, $5, 'spec', clock_timestamp())`,
      [id, ctx.orgId, ctx.mode, batch, JSON.stringify(result)],
    );
  });
  return id;
}

/** Creates a monitor with reported rows in this order. @returns its id */
async function monitor(
  found: Array<{ tableId: string; rowId: string; isReported?: boolean }>,
): Promise<string> {
  const id = newId('mon');
  await test.database.query(
    ctx,
    `INSERT INTO runs.monitors (org_id, mode, id, name, workspace_id, conversation_id, prompt, plans, cron, time_zone, first_run,
       identity_key, next_at)
     VALUES ($1, $2, $3, 'Spec', 'ws_1', 'conv_1', 'people', '[]', '0 9 * * *', 'UTC', 'deliver', 'k', now())`,
    [ctx.orgId, ctx.mode, id],
  );
  // Pairs of rows were found at the same time, so they are in the order of their identities.
  await test.database.query(
    ctx,
    `INSERT INTO runs.monitor_items (org_id, mode, monitor_id, identity, run_id, table_id, row_id, is_reported, first_seen, last_seen)
     SELECT $1, $2, $3, CASE WHEN n % 2 = 0 THEN 'b' ELSE 'a' END || row_id, 'run_1', table_id, row_id, is_reported,
       now() + make_interval(secs => (n + 1) / 2), now()
     FROM unnest($4::text[], $5::text[], $6::boolean[]) WITH ORDINALITY AS f (table_id, row_id, is_reported, n)`,
    [
      ctx.orgId,
      ctx.mode,
      id,
      found.map(({ tableId }) => tableId),
      found.map(({ rowId }) => rowId),
      found.map(({ isReported = true }) => isReported),
    ],
  );
  return id;
}

/** Reads all pages of the rows that a monitor has reported. */
async function reportedBy(monitorId: string, limit: number) {
  const pages = [];
  let after: string | null = null;
  do {
    const page = await adapter.readReported(ctx, { monitorId, emailColumn: 'email' }, { after, limit });
    pages.push(page);
    after = page.next;
  } while (after !== null);
  return pages;
}

async function rowsOf(tableId: string) {
  return (await adapter.readPage(ctx, { tableId, emailColumn: 'email' }, { from: 0, limit: 100 })).rows;
}

describe('the rows of a sequence', () => {
  it('count as verified only if a service checked exactly this address', async () => {
    const found = await job({ found: true, email: 'Ann@acme.com', status: 'verified' });
    const guessed = await job({ found: true, email: 'ann@acme.com', status: 'catch_all' });
    const email = 'ann@acme.com';
    const cases: Array<[boolean, Record<string, unknown>, Record<string, CellJson>]> = [
      [true, { email }, { email: cell('getEmail', found) }],
      [false, { email }, { email: cell('getEmail', guessed) }],
      [false, { email: 'other@acme.com' }, { email: cell('getEmail', found) }],
      [false, { email }, { other_email: cell('getEmail', found) }],
      [true, { email, status: 'valid' }, { status: cell('verifyEmail', null) }],
      [false, { email, status: 'catch_all' }, { status: cell('verifyEmail', null) }],
      [false, { email, status: 'valid' }, {}],
      [
        false,
        { email, status: 'valid' },
        { status: cell('verifyEmail', null), email: cell('getEmail', guessed, LATER) },
      ],
      [false, { email, status: 'valid', other_email: 'b@acme.com' }, { status: cell('verifyEmail', null) }],
      [false, { status: 'valid' }, { status: cell('verifyEmail', null) }],
    ];
    const { tableId } = await table(cases.map(([, values, cells]) => ({ values, cells })));
    expect((await rowsOf(tableId)).map(({ isVerified }) => isVerified)).toEqual(
      cases.map(([expected]) => expected),
    );
  });

  it('are excluded by company or by person, per mode', async () => {
    const exclude = (kind: string, domain: string | null, linkedin: string | null) =>
      test.database.query(
        ctx,
        `INSERT INTO tables.exclusions (org_id, mode, kind, entry_key, domain, linkedin_url) VALUES ($1, $2, $3, $4, $5, $6)`,
        [ctx.orgId, ctx.mode, kind, domain ?? linkedin, domain, linkedin],
      );
    await exclude('companies', 'acme.com', null);
    await exclude('people', null, 'https://www.linkedin.com/in/eva');
    const cases: Array<[boolean, Record<string, unknown>]> = [
      [true, { email: 'ann@acme.com' }],
      [true, { email: 'ann@gmail.com', website: 'https://www.acme.com/jobs' }],
      [true, { email: 'eva@other.com', profile: 'https://linkedin.com/in/eva/' }],
      [false, { email: 'bob@notacme.com' }],
    ];
    const { tableId } = await table(cases.map(([, values]) => ({ values })));
    expect((await rowsOf(tableId)).map(({ isExcluded }) => isExcluded)).toEqual(
      cases.map(([expected]) => expected),
    );
  });

  it('are marked as fictional if the sandbox filled them or their address cannot receive mail', async () => {
    const { tableId } = await table([
      { values: { email: 'ann@acme.com' } },
      { values: { email: 'ann@sandbox.test' } },
      { values: { email: 'ann@acme.com' }, cells: { status: cell('verifyEmail', null, EARLIER, 'sandbox') } },
    ]);
    expect((await rowsOf(tableId)).map(({ isFromSandbox }) => isFromSandbox)).toEqual([false, true, true]);
  });

  it('are read by their ids, in that order, without deleted ones', async () => {
    const { tableId, ids } = await table(
      ['a', 'b', 'c'].map((name) => ({ values: { email: `${name}@acme.com` } })),
    );
    const page = { rowIds: [ids[2]!, newId('row'), ids[0]!] };
    const { rows, rowCount } = await adapter.readPage(ctx, { tableId, emailColumn: 'email' }, page);
    expect([rows.map(({ id }) => id), rowCount]).toEqual([[ids[2], ids[0]], 3]);
    await expect(
      adapter.readPage(testCtx('org_elsewhere'), { tableId, emailColumn: 'email' }, page),
    ).rejects.toMatchObject({ code: 'table_not_found' });
  });

  it('include those that a monitor reported, each judged by the columns of its own table', async () => {
    const found = await job({ found: true, email: 'p3@acme.com', status: 'verified' });
    const first = await table([1, 2].map((i) => ({ values: { email: `p${i}@acme.com` } })));
    const second = await table([
      { values: { email: 'p3@acme.com' }, cells: { email: cell('getEmail', found) } },
      { values: { email: 'p4@sandbox.test' } },
    ]);
    const all = [first, second].flatMap(({ tableId, ids }) => ids.map((rowId) => ({ tableId, rowId })));
    const id = await monitor([
      { ...all[0]!, isReported: false },
      ...all.slice(1),
      { tableId: first.tableId, rowId: newId('row') },
      { tableId: newId('tbl'), rowId: newId('row') },
    ]);
    const pages = await reportedBy(id, 2);
    expect(
      pages.map(({ tables, missing }) => [
        tables.map(({ tableId, rows }) => [tableId, rows.map(({ values }) => values.email)]),
        missing,
      ]),
    ).toEqual([
      [
        [
          [first.tableId, ['p2@acme.com']],
          [second.tableId, ['p3@acme.com']],
        ],
        0,
      ],
      [
        [
          [second.tableId, ['p4@sandbox.test']],
          [first.tableId, []],
        ],
        1,
      ],
      [[], 1],
    ]);
    const rows = pages.flatMap(({ tables }) => tables.flatMap((each) => each.rows));
    expect(rows.map((row) => [row.isVerified, row.isFromSandbox])).toEqual([
      [false, false],
      [true, false],
      [false, true],
    ]);
    expect(pages[0]!.tables[0]!.columns).toMatchObject(COLUMNS);
  });

  it('include the row found first when a monitor reported it again as changed', async () => {
    const paid = await table([{ values: { email: 'p1@acme.com' } }, { values: { email: 'p2@acme.com' } }]);
    const changed = await table([{ values: { email: null } }]);
    const id = await monitor(paid.ids.map((rowId) => ({ tableId: paid.tableId, rowId })));
    await test.database.query(
      ctx,
      `UPDATE runs.monitor_items SET first_table_id = table_id, first_row_id = row_id, table_id = $3, row_id = $4,
         updated_at = now() + interval '1 day'
       WHERE org_id = $1 AND monitor_id = $2 AND row_id = $5`,
      [ctx.orgId, id, changed.tableId, changed.ids[0], paid.ids[0]],
    );
    const pages = await reportedBy(id, 1);
    const rows = pages.flatMap(({ tables }) => tables.flatMap((each) => each.rows));
    expect(rows.map(({ values }) => values.email)).toEqual(['p2@acme.com', 'p1@acme.com']);
  });

  it('are empty for a monitor that reported nothing and for a monitor of another organisation', async () => {
    const id = await monitor([]);
    expect(await reportedBy(id, 2)).toEqual([{ tables: [], missing: 0, next: null }]);
    ctx = testCtx('org_elsewhere');
    await expect(reportedBy(id, 2)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are read two thousand at a time', async () => {
    const { tableId } = await table(
      Array.from({ length: 2000 }, (_, i) => ({ values: { email: `p${i}@acme-${i}.com`, status: 'valid' } })),
    );
    const begun = performance.now();
    const { rows } = await adapter.readPage(ctx, { tableId, emailColumn: 'email' }, { from: 0, limit: 2000 });
    printMeasurement(
      `2,000 rows to be enrolled are read and judged in ${Math.round(performance.now() - begun)} ms`,
    );
    expect(rows).toHaveLength(2000);
  });
});
