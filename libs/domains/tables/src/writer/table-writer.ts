import { Injectable } from '@nestjs/common';
import type { ColumnJson } from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import { ofTenant, TENANT, TENANT_ORG, tenantOf, Database, type TxCtx } from '@quarry/postgres';
import { insertWorkspace, isWorkspaceOpen, lockWorkspace } from '../workspaces/workspaces.store.js';
import { storableText } from '../sql/storable-text.js';
import { isRow, positionsOf, rowWithId } from '../sql/chosen-rows.sql.js';
import { storableJson } from './storable-json.js';
import { lockHead, lockHeadIfThere, type TableHead } from './table-head.js';
import type { NewRow, NewTable, RowChange, RowFit } from './table-writer.types.js';
import { statement } from '../statements.types.js';

/**
 * Writes live tables for the agent. Every call joins the transaction of its context or opens one. Those on tables may be repeated
 * with the same ids without further effect.
 */
@Injectable()
export class TableWriter {
  constructor(private readonly database: Database) {}

  async createWorkspace(ctx: Ctx | TxCtx, name: string): Promise<string> {
    const id = newId('ws');
    await insertWorkspace(this.database, ctx, { id, name: storableText(name) });
    return id;
  }

  /** @returns whether the workspace exists in this organisation and is not archived */
  async workspaceExists(ctx: Ctx | TxCtx, workspaceId: string): Promise<boolean> {
    return isWorkspaceOpen(this.database, ctx, workspaceId);
  }

  /** Creates an empty table; the same id again changes nothing. @throws AppError workspace_not_found */
  async createTable(ctx: Ctx | TxCtx, table: NewTable): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      await lockWorkspace(this.database, tx, table.workspaceId);
      await this.database.query(tx, CREATE_TABLE, [
        tenantOf(tx),
        table.id,
        table.workspaceId,
        storableText(table.name),
        storableJson(table.columns),
      ]);
    });
  }

  /** Adds columns to a table; existing keys are left unchanged. Rows get null there. @throws AppError table_not_found */
  async addColumns(ctx: Ctx | TxCtx, tableId: string, columns: ColumnJson[]): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      const head = await lockHead(this.database, tx, tableId);
      const known = new Set(head.columns.map(({ key }) => key));
      const added = columns.filter(({ key }) => !known.has(key));
      if (added.length === 0) return;
      await this.database.query(tx, SET_COLUMNS, [
        tenantOf(tx),
        tableId,
        storableJson([...head.columns, ...added]),
      ]);
      await this.database.query(tx, ADD_NULLS, [tx.orgId, head.rowSet, nullsOf(added)]);
    });
  }

  /**
   * Appends rows in the given order; rows whose id exists are skipped.
   * @throws AppError table_not_found; Error when a value names a column that the table does not have
   */
  async appendRows(ctx: Ctx | TxCtx, tableId: string, rows: readonly NewRow[]): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      const head = await lockHead(this.database, tx, tableId);
      rows.forEach((row) => requireColumns(head, row.values));
      if (rows.length === 0) return;
      await this.database.query(tx, APPEND_ROWS, [
        tenantOf(tx),
        tableId,
        head.rowSet,
        nullsOf(head.columns),
        storableJson(firstOfEach(rows)),
      ]);
    });
  }

  /**
   * Merges values and cells into rows, key by key; unknown ids are ignored.
   * @throws AppError table_not_found; Error when a value names a column that the table does not have
   */
  async updateRows(ctx: Ctx | TxCtx, tableId: string, changes: readonly RowChange[]): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      const head = await lockHead(this.database, tx, tableId);
      changes.forEach((change) => requireColumns(head, change.values ?? {}));
      await this.database.query(tx, UPDATE_ROWS, [
        tenantOf(tx),
        head.rowSet,
        storableJson(mergedById(changes)),
      ]);
    });
  }

  /**
   * Keeps the named rows in the given order and removes all others; unknown ids are ignored. Frozen tables are not affected.
   * @throws AppError table_not_found
   */
  async arrangeRows(ctx: Ctx | TxCtx, tableId: string, rowIds: readonly string[]): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      const head = await lockHead(this.database, tx, tableId);
      // Positions are unique and without gaps at any time, so the remaining rows go into a new row set.
      await this.database.query(tx, ARRANGE_ROWS, [tenantOf(tx), tableId, head.rowSet, [...new Set(rowIds)]]);
      await this.database.query(tx, DROP_ROWS, [tx.orgId, head.rowSet]);
    });
  }

  /**
   * Marks every `pending` cell as `skipped`, with a reason. Does nothing when the table was deleted or its workspace is archived:
   * a run must be able to end.
   * @param error the reason that the cells show
   */
  async skipPending(
    ctx: Ctx | TxCtx,
    tableId: string,
    error: { code: string; message: string },
  ): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      const head = await lockHeadIfThere(this.database, tx, tableId);
      if (!head) return;
      const change = { status: 'skipped', error, updated_at: new Date().toISOString() };
      await this.database.query(tx, SKIP_PENDING, [tx.orgId, head.rowSet, storableJson(change)]);
    });
  }

  /** Replaces the fit of rows and updates the table's counters; unknown ids are ignored. @throws AppError table_not_found */
  async setFit(ctx: Ctx | TxCtx, tableId: string, fits: readonly RowFit[]): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      const head = await lockHead(this.database, tx, tableId);
      // If a row is named twice, the last fit counts.
      const fitById = Object.fromEntries(fits.map(({ id, fit }) => [id, fit]));
      await this.database.query(tx, SET_FIT, [tenantOf(tx), tableId, head.rowSet, storableJson(fitById)]);
    });
  }
}

// New rows are numbered without gaps from the row count on, which pages rely on. The counters are raised by what the INSERT
// returned, so a replay that adds nothing counts nothing.
const APPEND_ROWS = statement(
  'table-writer.appendRows',
  `
  WITH fresh AS (
    SELECT item.row, row_number() OVER (ORDER BY item.n) - 1 AS place
    FROM jsonb_array_elements($5::jsonb) WITH ORDINALITY AS item (row, n)
    WHERE (SELECT r.position FROM tables.rows r WHERE ${isRow('r', "item.row->>'id'", TENANT_ORG, '$3::bigint')}) IS NULL
  ), added AS (
    INSERT INTO tables.rows (org_id, row_set, position, id, cell_values, cells, fit)
    SELECT ${TENANT_ORG}, $3::bigint, t.row_count + fresh.place, fresh.row->>'id', $4::jsonb || (fresh.row->'values'),
           coalesce(fresh.row->'cells', '{}'), fresh.row->'fit'
    FROM fresh, (SELECT row_count FROM tables.tables WHERE ${ofTenant()} AND id = $2) AS t
    RETURNING fit->>'status' AS status
  ), counted AS (
    SELECT count(*)::int AS added,
           (count(*) FILTER (WHERE status = 'qualified'))::int AS qualified,
           (count(*) FILTER (WHERE status = 'disqualified'))::int AS disqualified
    FROM added
  )
  UPDATE tables.tables t
  SET row_count = t.row_count + counted.added,
      qualified = t.qualified + counted.qualified,
      disqualified = t.disqualified + counted.disqualified
  FROM counted
  WHERE ${ofTenant('t')} AND t.id = $2`,
);

/** Returns SQL of the positions of rows, given an object of changes by row id. */
const changedPositions = (changes: string, rowSet: string): string =>
  positionsOf(`jsonb_object_keys(${changes})`, TENANT_ORG, rowSet);

const UPDATE_ROWS = statement(
  'table-writer.updateRows',
  `
  UPDATE tables.rows r
  SET cell_values = r.cell_values || coalesce($3::jsonb->r.id->'values', '{}'),
      cells = r.cells || coalesce($3::jsonb->r.id->'cells', '{}')
  WHERE r.org_id = ${TENANT_ORG} AND r.row_set = $2::bigint AND r.position = ANY (${changedPositions('$3::jsonb', '$2::bigint')})`,
);

const ARRANGE_ROWS = statement(
  'table-writer.arrangeRows',
  `
  WITH next AS MATERIALIZED (SELECT nextval('tables.row_set_number') AS row_set), kept AS (
    INSERT INTO tables.rows (org_id, row_set, position, id, cell_values, cells, fit)
    SELECT r.org_id, next.row_set, row_number() OVER (ORDER BY wanted.n) - 1, r.id, r.cell_values, r.cells, r.fit
    FROM next, unnest($4::text[]) WITH ORDINALITY AS wanted (id, n)
    ${rowWithId('wanted.id', TENANT_ORG, '$3::bigint')}
    RETURNING fit->>'status' AS status
  ), counted AS (
    SELECT count(*)::int AS rows,
           (count(*) FILTER (WHERE status = 'qualified'))::int AS qualified,
           (count(*) FILTER (WHERE status = 'disqualified'))::int AS disqualified
    FROM kept
  )
  UPDATE tables.tables t
  SET row_set = next.row_set, row_count = counted.rows, qualified = counted.qualified, disqualified = counted.disqualified
  FROM counted, next WHERE ${ofTenant('t')} AND t.id = $2`,
);

const DROP_ROWS = statement(
  'table-writer.dropRows',
  'DELETE FROM tables.rows WHERE row_set = $2::bigint AND org_id = $1',
);

const SKIP_PENDING = statement(
  'table-writer.skipPending',
  `
  UPDATE tables.rows r
  SET cells = r.cells || (SELECT jsonb_object_agg(c.key, c.value || $3::jsonb) FROM jsonb_each(r.cells) c WHERE c.value->>'status' = 'pending')
  WHERE r.org_id = $1 AND r.row_set = $2::bigint AND jsonb_path_exists(r.cells, '$.*.status ? (@ == "pending")')`,
);

// "before" is read from the statement's snapshot, which the lock on the head keeps current.
const SET_FIT = statement(
  'table-writer.setFit',
  `
  WITH judged AS (
    UPDATE tables.rows r SET fit = $4::jsonb->r.id
    WHERE r.org_id = ${TENANT_ORG} AND r.row_set = $3::bigint AND r.position = ANY (${changedPositions('$4::jsonb', '$3::bigint')})
    RETURNING r.fit->>'status' AS after,
      (SELECT o.fit->>'status' FROM tables.rows o WHERE o.row_set = r.row_set AND o.position = r.position) AS before
  ), moved AS (
    SELECT (count(*) FILTER (WHERE after = 'qualified') - count(*) FILTER (WHERE before = 'qualified'))::int AS qualified,
           (count(*) FILTER (WHERE after = 'disqualified') - count(*) FILTER (WHERE before = 'disqualified'))::int AS disqualified
    FROM judged
  )
  UPDATE tables.tables t
  SET qualified = t.qualified + moved.qualified, disqualified = t.disqualified + moved.disqualified
  FROM moved WHERE ${ofTenant('t')} AND t.id = $2`,
);

/** If a batch names a row twice, the first one counts, like in two batches. */
function firstOfEach(rows: readonly NewRow[]): NewRow[] {
  const first = new Map<string, NewRow>();
  for (const row of rows) if (!first.has(row.id)) first.set(row.id, row);
  return [...first.values()];
}

/** @returns JSON of an object with null under every column key */
function nullsOf(columns: readonly ColumnJson[]): string {
  return storableJson(Object.fromEntries(columns.map(({ key }) => [key, null])));
}

/** An UPDATE applies only one source row to a target, so several changes of one row are merged first. */
function mergedById(changes: readonly RowChange[]): Record<string, Omit<RowChange, 'id'>> {
  const merged: Record<string, Omit<RowChange, 'id'>> = {};
  for (const { id, values, cells } of changes)
    merged[id] = { values: { ...merged[id]?.values, ...values }, cells: { ...merged[id]?.cells, ...cells } };
  return merged;
}

function requireColumns(head: TableHead, values: Record<string, unknown>): void {
  const undeclared = Object.keys(values).find((key) => !head.columns.some((column) => column.key === key));
  if (undeclared !== undefined) throw new Error(`Table ${head.id} has no column ${undeclared}.`);
}

const CREATE_TABLE = statement(
  'table-writer.createTable',
  `
  INSERT INTO tables.tables (org_id, mode, id, workspace_id, name, columns) VALUES (${TENANT}, $2, $3, $4, $5)
  ON CONFLICT (org_id, id) DO NOTHING`,
);

const SET_COLUMNS = statement(
  'table-writer.setColumns',
  `UPDATE tables.tables SET columns = $3 WHERE ${ofTenant()} AND id = $2`,
);

const ADD_NULLS = statement(
  'table-writer.addNulls',
  'UPDATE tables.rows SET cell_values = $3::jsonb || cell_values WHERE org_id = $1 AND row_set = $2',
);
