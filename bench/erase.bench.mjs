import { migratedDatabase, PRODUCT_ERASURE } from '@quarry/composition';
import { newId, systemCtx } from '@quarry/app';
import { PersonErasure } from '@quarry/privacy';
import { TableWriter } from '@quarry/tables';
import pg from 'pg';
import { alternate } from './harness/alternation.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'a person erased from a table of 1,000,000 rows of 8 columns, one of which names them, by each of the three ways';

/** --entries=100000 for a quick look. */
const ROWS = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
const COLUMNS = ['first_name', 'last_name', 'email', 'linkedin_url', 'title', 'company', 'city', 'note'];
const ANN = {
  first_name: 'Ann',
  last_name: 'Müller',
  email: 'ann.mueller@acme.example',
  linkedin_url: 'https://www.linkedin.com/in/ann-mueller-1',
  title: 'Head of Procurement',
  company: 'Acme Metals GmbH',
  city: 'Köln',
  note: '',
};

export async function run({ life, report, settings }) {
  const cluster = await openCluster(life);
  const database = await life.open(
    'database',
    () => migratedDatabase(cluster.url, 'bench'),
    (part) => part.close(),
  );
  const ctx = systemCtx('bench', newId('org'));
  const tableId = await seed(database, cluster.url, ctx);
  const erasure = new PersonErasure(database, PRODUCT_ERASURE);
  const erasing = (named) => async () => {
    await plant(database, tableId);
    const from = performance.now();
    const { erased } = JSON.parse(await erasure.erase(ctx, named, null));
    const tookMs = performance.now() - from;
    if (erased.rows !== 1) throw new Error(`${erased.rows} rows were erased instead of one.`);
    return { perSecond: ROWS / (tookMs / 1000), p50Ms: tookMs };
  };
  const values = await alternate(
    {
      'by e-mail': erasing({ email: ANN.email }),
      'by LinkedIn address': erasing({ linkedin_url: ANN.linkedin_url }),
      'by name and company': erasing({ name: 'Ann Muller', company: 'Acme Metals GmbH' }),
    },
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`rows gone through, of ${ROWS.toLocaleString('en')}`, values);
}

/** Every tenth row has letters beyond ASCII, which cost more to look through. */
async function seed(database, url, ctx) {
  const writer = new TableWriter(database);
  const [workspaceId, tableId] = [newId('ws'), newId('tbl')];
  await writer.ensureWorkspace(ctx, { id: workspaceId, name: 'People' });
  const columns = COLUMNS.map((key) => ({ key, name: key, kind: 'text', qualification: {} }));
  await writer.createTable(ctx, { id: tableId, workspaceId, name: 'People', columns });
  // VACUUM runs outside of a transaction, and everything over the database runs in one.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO tables.rows (org_id, row_set, position, id, cell_values)
       SELECT $1, t.row_set, i, 'row_' || lpad(i::text, 26, '0'), jsonb_build_object('first_name', 'First' || i,
         'last_name', CASE WHEN i % 10 = 0 THEN 'Nörgård' ELSE 'Last' END || i % 9999, 'email', 'first' || i || '@company' || i % 9999 || '.example',
         'linkedin_url', 'https://www.linkedin.com/in/first-last-' || i, 'title', 'Head of Procurement', 'company', 'Company ' || i % 9999 || ' GmbH',
         'city', 'Hamburg', 'note', repeat('Met at the fair. ', 6))
       FROM tables.tables t, generate_series(0, $3::int - 1) AS i WHERE t.id = $2`,
      [ctx.orgId, tableId, ROWS],
    );
    await client.query('UPDATE tables.tables SET row_count = $2 WHERE id = $1', [tableId, ROWS]);
    await client.query('VACUUM (ANALYZE) tables.rows');
  } finally {
    await client.end();
  }
  return tableId;
}

async function plant(database, tableId) {
  await database.query(
    systemCtx('bench'),
    `UPDATE tables.rows r SET cell_values = $2 FROM tables.tables t WHERE t.id = $1 AND r.row_set = t.row_set AND r.position = $3`,
    [tableId, JSON.stringify(ANN), Math.floor(ROWS * 0.9)],
  );
}
