import type { ColumnJson } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import {
  lookingForPerson,
  ofTenant,
  tenantOf,
  type Database,
  type ErasurePart,
  type SoughtPerson,
  type TxCtx,
} from '@quarry/postgres';
import { statement } from '../statements.types.js';

/** Counts of what was erased. */
export interface ErasedFromTables {
  rows: number;
  frozen_rows: number;
  exports: number;
  /** Names of workspaces, tables and columns. */
  names: number;
}

// Some tenths of a second each. Positions have no gaps, so a range of positions is a number of rows.
const ROWS_PER_STATEMENT = 20_000;
const ROWS_OF_EMPTY = 20;
const NAME_INSTEAD = 'Erased';

/**
 * Erases a person from the tables of the context's organisation and mode, including archived ones. A row that names the person
 * keeps its id, position and fit, so that pages, counts and links stay valid, and loses all its values. Exports of a table with
 * such a row are deleted. May be repeated: erased rows are not found again.
 */
export async function eraseFromTables(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
): Promise<ErasedFromTables> {
  const erased: ErasedFromTables = { rows: 0, frozen_rows: 0, exports: 0, names: 0 };
  // Live tables first: a table frozen meanwhile is a copy of an erased one.
  for (const kind of ['live', 'frozen'] as const) {
    const heads = await eraseHeads(database, ctx, person, kind);
    erased.names += heads.names;
    erased.exports += heads.exports;
    // Meanwhile a run may move the rows of a table into another row set.
    const seen = new Set<string>();
    for (let tables = await tablesOf(database, ctx, kind); tables.length > 0;) {
      const { rows, exports } = await eraseRows(database, ctx, person, tables);
      erased[kind === 'live' ? 'rows' : 'frozen_rows'] += rows;
      erased.exports += exports;
      for (const table of tables) seen.add(table.row_set);
      tables = (await tablesOf(database, ctx, kind)).filter(({ row_set: rowSet }) => !seen.has(rowSet));
    }
  }
  erased.names += await eraseWorkspaceNames(database, ctx, person);
  return erased;
}

type Kind = 'live' | 'frozen';

interface RowSet {
  row_set: string;
  row_count: number;
  run_id: string | null;
  key: string | null;
  /** Null for a frozen table, which run and key identify. */
  table_id: string | null;
}

function tablesOf(database: Database, ctx: Ctx, kind: Kind): Promise<RowSet[]> {
  return database.query(ctx, TABLES_OF[kind], [tenantOf(ctx)]);
}

async function eraseRows(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
  tables: readonly RowSet[],
): Promise<{ rows: number; exports: number }> {
  const sum = { rows: 0, exports: 0 };
  let left = tables;
  for (let from = 0; left.length > 0; from += ROWS_PER_STATEMENT) {
    const longer: RowSet[] = [];
    for (const group of groupsOf(left, from)) {
      const rowSets = group.map(({ row_set: rowSet }) => rowSet);
      const to = from + ROWS_PER_STATEMENT;
      const found = await database.query(ctx, ROWS_ABOUT[person.sought], [
        rowSets,
        ctx.orgId,
        from,
        to,
        person.patterns,
      ]);
      const named = found.filter(({ cell_values: values, cells, fit }) => person.isIn(values, cells, fit));
      sum.rows += named.length;
      for (const [rowSet, rows] of Map.groupBy(named, (row) => row.row_set)) {
        const table = group.find((each) => each.row_set === rowSet)!;
        const positions = rows.map(({ position }) => position);
        sum.exports += await database.transaction(ctx, (tx) => emptyRows(database, tx, table, positions));
      }
      const further = await database.query(ctx, LONGER_THAN, [rowSets, to]);
      longer.push(...group.filter((each) => further.some(({ row_set: rowSet }) => rowSet === each.row_set)));
    }
    left = longer;
  }
  return sum;
}

/** Groups tables, because most are small: each group has about as many rows from a position on as a statement reads. */
function groupsOf(tables: readonly RowSet[], from: number): RowSet[][] {
  const groups: RowSet[][] = [];
  let rows = ROWS_PER_STATEMENT;
  for (const table of tables) {
    // An empty table also takes its time.
    const more = Math.max(Math.min(table.row_count - from, ROWS_PER_STATEMENT), ROWS_OF_EMPTY);
    if (rows + more > ROWS_PER_STATEMENT) {
      groups.push([]);
      rows = 0;
    }
    groups.at(-1)!.push(table);
    rows += more;
  }
  return groups;
}

/** @returns the number of exports deleted with the rows */
async function emptyRows(database: Database, tx: TxCtx, table: RowSet, positions: string[]): Promise<number> {
  await countErasure(database, tx, table);
  await database.query(tx, EMPTY_ROWS, [table.row_set, tx.orgId, positions]);
  return deleteExports(database, tx, table);
}

/**
 * Must run before anything of a table is erased: it waits for an export that has finished reading, which is then deleted; one
 * that is still reading notices the new count and reads again.
 */
async function countErasure(database: Database, tx: TxCtx, table: RowSet): Promise<void> {
  const kind = table.table_id === null ? 'frozen' : 'live';
  await database.query(tx, COUNT_ERASURE[kind], [tenantOf(tx), table.row_set]);
}

/** @returns the number of deleted exports */
async function deleteExports(
  database: Database,
  tx: TxCtx,
  { run_id: runId, key, table_id: tableId }: RowSet,
): Promise<number> {
  const gone = await database.query(tx, DELETE_EXPORTS, [tenantOf(tx), runId, key, tableId]);
  return gone.length;
}

/** A workspace is named after its first prompt, which may name a person. @returns the number of renamed workspaces */
async function eraseWorkspaceNames(database: Database, ctx: Ctx, person: SoughtPerson): Promise<number> {
  const found = await database.query(ctx, WORKSPACES_ABOUT[person.sought], [tenantOf(ctx), person.patterns]);
  const named = found.filter(({ name }) => person.isIn(name));
  for (const { id } of named) await database.query(ctx, RENAME_WORKSPACE, [tenantOf(ctx), id, NAME_INSTEAD]);
  return named.length;
}

/** Renames a workspace if it still has the given name. @returns whether it had */
export async function eraseWorkspaceName(
  database: Database,
  tx: TxCtx,
  { id, name }: { id: string; name: string },
): Promise<boolean> {
  const renamed = await database.query(tx, RENAME_WORKSPACE_STILL_CALLED, [
    tenantOf(tx),
    id,
    name,
    NAME_INSTEAD,
  ]);
  return renamed.length > 0;
}

interface Head extends RowSet {
  name: string;
  columns: ColumnJson[];
}

/** Erases a person from names of tables and columns. The file of an export is named after its table. */
async function eraseHeads(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
  kind: Kind,
): Promise<{ names: number; exports: number }> {
  const found = await database.query(ctx, HEADS_ABOUT[kind][person.sought], [tenantOf(ctx), person.patterns]);
  const named = found.filter(({ name, columns }) => person.isIn(name, columns));
  let exports = 0;
  for (const head of named)
    exports += await database.transaction(ctx, (tx) => eraseHead(database, tx, person, kind, head));
  return { names: named.length, exports };
}

/** @returns the number of exports deleted with it */
async function eraseHead(
  database: Database,
  tx: TxCtx,
  person: SoughtPerson,
  kind: Kind,
  head: Head,
): Promise<number> {
  await countErasure(database, tx, head);
  // Column keys stay, because rows are read by them.
  const columns = head.columns.map((column) => ({
    ...(person.redacted(column, NAME_INSTEAD) as ColumnJson),
    key: column.key,
    kind: column.kind,
  }));
  await database.query(tx, SET_HEAD[kind], [
    tenantOf(tx),
    head.row_set,
    person.isIn(head.name) ? NAME_INSTEAD : head.name,
    JSON.stringify(columns),
  ]);
  return deleteExports(database, tx, head);
}

const LONGER_THAN = statement(
  'erase-from-tables.longerThan',
  `
  SELECT s.row_set FROM unnest($1::bigint[]) AS s (row_set)
  WHERE EXISTS (SELECT FROM tables.rows AS r WHERE r.row_set = s.row_set AND r.position >= $2)`,
);

const EMPTY_ROWS = statement(
  'erase-from-tables.emptyRows',
  `
  UPDATE tables.rows SET
    cell_values = (SELECT coalesce(jsonb_object_agg(key, NULL), '{}') FROM jsonb_object_keys(cell_values) AS key),
    cells = '{}',
    fit = CASE WHEN fit IS NOT NULL THEN jsonb_build_object(
      'status', fit -> 'status', 'score', fit -> 'score', 'reason', NULL, 'criteria', '[]'::jsonb) END
  WHERE row_set = $1 AND org_id = $2 AND position = ANY ($3::bigint[])`,
);

const DELETE_EXPORTS = statement(
  'erase-from-tables.deleteExports',
  `DELETE FROM tables.exports WHERE ${ofTenant()} AND (table_id = $4 OR (run_id = $2 AND table_key = $3)) RETURNING 1`,
);

const RENAME_WORKSPACE = statement(
  'erase-from-tables.renameWorkspace',
  `UPDATE tables.workspaces SET name = $3 WHERE ${ofTenant()} AND id = $2`,
);

const RENAME_WORKSPACE_STILL_CALLED = statement(
  'erase-from-tables.renameWorkspaceStillCalled',
  `UPDATE tables.workspaces SET name = $4 WHERE ${ofTenant()} AND id = $2 AND name = $3 RETURNING 1`,
);

/** The tables of each kind and their id columns: exports refer to a frozen one by run and key. */
const KINDS = {
  live: { heads: 'tables.tables', ids: 'row_set, row_count, NULL AS run_id, NULL AS key, id AS table_id' },
  frozen: { heads: 'tables.frozen_tables', ids: 'row_set, row_count, run_id, key, NULL AS table_id' },
} as const satisfies Record<Kind, unknown>;

function eachKind<Made>(make: (kind: Kind, sql: { heads: string; ids: string }) => Made): Record<Kind, Made> {
  return { live: make('live', KINDS.live), frozen: make('frozen', KINDS.frozen) };
}

const COUNT_ERASURE = eachKind((kind, { heads }) =>
  statement(
    `erase-from-tables.countErasure.${kind}`,
    `UPDATE ${heads} SET erasures = erasures + 1 WHERE ${ofTenant()} AND row_set = $2`,
  ),
);

const TABLES_OF = eachKind((kind, { heads, ids }) =>
  statement(
    `erase-from-tables.tablesOf.${kind}`,
    `SELECT ${ids} FROM ${heads} WHERE ${ofTenant()} ORDER BY row_set`,
  ),
);

// OFFSET 0 makes PostgreSQL build the text once per row.
const ROWS_ABOUT = lookingForPerson((by, condition) =>
  statement(
    `erase-from-tables.rowsAbout.${by}`,
    `SELECT row_set, position, cell_values, cells, fit FROM (
       SELECT row_set, position, cell_values, cells, fit, concat(cell_values, ' ', cells, ' ', fit) AS text FROM tables.rows
       WHERE row_set = ANY ($1::bigint[]) AND org_id = $2 AND position >= $3 AND position < $4 OFFSET 0) AS r
     WHERE ${condition('text', '$5')}`,
  ),
);

const WORKSPACES_ABOUT = lookingForPerson((by, condition) =>
  statement(
    `erase-from-tables.workspacesAbout.${by}`,
    `SELECT id, name FROM tables.workspaces WHERE ${ofTenant()} AND ${condition('name', '$2')}`,
  ),
);

const HEADS_ABOUT = eachKind((kind, { heads, ids }) =>
  lookingForPerson((by, condition) =>
    statement(
      `erase-from-tables.headsAbout.${kind}.${by}`,
      `SELECT ${ids}, name, columns FROM ${heads}
       WHERE ${ofTenant()} AND ${condition("name || ' ' || columns", '$2')}`,
    ).rows<{ columns: ColumnJson[] }>(),
  ),
);

const SET_HEAD = eachKind((kind, { heads }) =>
  statement(
    `erase-from-tables.setHead.${kind}`,
    `UPDATE ${heads} SET name = $3, columns = $4::json WHERE ${ofTenant()} AND row_set = $2`,
  ),
);

/** Erases a person from tables, workspaces and exports. */
export const tableErasure: ErasurePart<keyof ErasedFromTables> = { erase: eraseFromTables, openWork: [] };
