// A table of ten columns, about 250 bytes per row, inserted by SQL so that a million rows take seconds.
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { newId, systemCtx } from '@quarry/app';

export const COLUMNS = Array.from({ length: 10 }, (_, i) => ({ key: `c${i}`, name: `Column ${i}` }));
const KINDS = { c1: 'domain', c2: 'number' };

/** First number of a row: all numbers have the same length, so a row has the same size at any position. */
const FIRST = 10_000_000;

/** @returns the values of one row: names, a domain, a number, text with quotes and commas */
function valuesOf(row) {
  const i = FIRST + row;
  return {
    c0: `Company ${i}`,
    c1: `company${i}.example`,
    c2: i,
    c3: `Street ${i}, Oslo`,
    c4: 'Norway',
    c5: 'Software "and" more',
    c6: '2020-01-02',
    c7: `person${i}@company${i}.example`,
    c8: null,
    c9: `+47${i}`,
  };
}

/** @returns the body of an import with a number of rows */
export function importBody(rows) {
  return JSON.stringify({
    name: 'Bench',
    columns: COLUMNS,
    rows: Array.from({ length: rows }, (_, i) => valuesOf(i)),
  });
}

/** @returns the same rows in COPY's text format, for a row set number */
export function copyText(orgId, rowSet, rows) {
  return Array.from({ length: rows }, (_, i) => {
    const json = JSON.stringify(valuesOf(i)).replaceAll('\\', '\\\\');
    return `${orgId}\t${rowSet}\t${i}\t${newId('row')}\t${json}\n`;
  }).join('');
}

/** Creates an organisation with a workspace. @returns its key, both ids, and its owner's credentials */
export async function seedWorkspace(url) {
  const database = await migratedDatabase(url, 'bench');
  const { orgId, apiKey, email, password } = await createOrganisation(database, {
    name: 'Bench',
    credits: 0,
  });
  const workspaceId = newId('ws');
  const sql = "INSERT INTO tables.workspaces (org_id, id, name) VALUES ($1, $2, 'Bench')";
  await database.query(systemCtx('bench', orgId), sql, [orgId, workspaceId]);
  await database.close();
  return { orgId, apiKey, workspaceId, owner: { email, password } };
}

/**
 * Creates a live table with a number of rows; with a run it is also the run's frozen table, with its id as key.
 * @returns its id and row set
 */
export async function seedTable(url, { orgId, workspaceId, runId = null }, rows) {
  const database = await migratedDatabase(url, 'bench');
  const ctx = systemCtx('bench', orgId);
  const tableId = newId('tbl');
  const columns = COLUMNS.map((column) => ({
    ...column,
    kind: KINDS[column.key] ?? 'text',
    qualification: {},
  }));
  const head = await database.queryOne(
    ctx,
    `INSERT INTO tables.tables (org_id, id, workspace_id, name, columns, row_count)
     VALUES ($1, $2, $3, 'Bench', $4, $5) RETURNING row_set`,
    [orgId, tableId, workspaceId, JSON.stringify(columns), rows],
  );
  await database.withConnection((client) =>
    client.query(
      `INSERT INTO tables.rows (org_id, row_set, position, id, cell_values)
       SELECT $1, $2, i - ${FIRST}, 'row_' || lpad(i::text, 26, '0'), jsonb_build_object(
         'c0', 'Company ' || i, 'c1', 'company' || i || '.example', 'c2', i, 'c3', 'Street ' || i || ', Oslo',
         'c4', 'Norway', 'c5', 'Software "and" more', 'c6', '2020-01-02',
         'c7', 'person' || i || '@company' || i || '.example', 'c8', NULL, 'c9', '+47' || i)
       FROM generate_series(${FIRST}, ${FIRST} + $3 - 1) AS i`,
      [orgId, head.row_set, rows],
    ),
  );
  // The rows are not copied for the frozen table: only reading them is measured.
  await database.query(
    ctx,
    `INSERT INTO tables.frozen_tables (org_id, run_id, key, workspace_id, name, columns, row_set, row_count, qualified, disqualified)
     SELECT org_id, $3, id, workspace_id, name, columns, row_set, row_count, 0, 0
     FROM tables.tables WHERE org_id = $1 AND id = $2 AND $3::text IS NOT NULL`,
    [orgId, tableId, runId],
  );
  // As autovacuum would have done on a table of some age.
  await database.withConnection((client) => client.query('VACUUM (ANALYZE) tables.rows'));
  await database.close();
  return { tableId, rowSet: head.row_set };
}
