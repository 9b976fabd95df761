import { Injectable } from '@nestjs/common';
import { cellOf, type ColumnJson } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import { Database, ofTenant, tenantOf, type TxCtx } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { positionsOf, rowWithId } from '../sql/chosen-rows.sql.js';
import { storableJson } from './storable-json.js';
import { lockHead, lockHeadIfThere, readHead } from './table-head.js';
import { TableWriter } from './table-writer.js';
import type { TableSummary } from './table-writer.types.js';

/** Selects and marks the rows of a live table whose columns a service fills. */
@Injectable()
export class EnrichableRows {
  constructor(
    private readonly database: Database,
    private readonly writer: TableWriter,
  ) {}

  /** @throws AppError table_not_found */
  getTable(ctx: Ctx | TxCtx, tableId: string): Promise<Pick<TableSummary, 'workspaceId' | 'columns'>> {
    return readHead(this.database, ctx, tableId);
  }

  /**
   * @param choice.rows selects by the cells of the keys: `empty` includes those that were never looked up
   * @returns ids of rows, in the order of the view or of the table
   * @throws AppError table_not_found, not_found (view)
   */
  async chooseRows(
    ctx: Ctx | TxCtx,
    tableId: string,
    choice: { keys: readonly string[]; rows: string; viewId: string | null; limit: number | null },
  ): Promise<string[]> {
    const head = await readHead(this.database, ctx, tableId);
    const { keys, rows, viewId, limit } = choice;
    const view =
      viewId === null ? null : await this.database.queryOne(ctx, VIEW, [tenantOf(ctx), tableId, viewId]);
    if (viewId !== null && !view) throw new AppError('not_found', 'View not found, or it has expired.');
    const positions = view?.positions ?? null;
    const params = [ctx.orgId, head.rowSet, keys, rows, positions, limit] as const;
    return (await this.database.query(ctx, CHOOSE, params)).flatMap(({ id }) => id ?? []);
  }

  /** Adds missing columns, and marks cells without a value as pending. @throws AppError table_not_found */
  async markPending(
    tx: TxCtx,
    tableId: string,
    columns: ColumnJson[],
    rowIds: readonly string[],
  ): Promise<void> {
    await this.writer.addColumns(tx, tableId, columns);
    const keys = columns.map(({ key }) => key);
    const head = await lockHead(this.database, tx, tableId);
    const cell = storableJson(cellOf('pending'));
    await this.database.query(tx, MARK_PENDING, [tx.orgId, head.rowSet, keys, rowIds, cell]);
  }

  /**
   * @param keys of the values to read; null for all
   * @returns the rows in the order of the ids, without those that were removed
   * @throws AppError table_not_found
   */
  async readRows(
    ctx: Ctx,
    tableId: string,
    rowIds: readonly string[],
    keys: readonly string[] | null = null,
  ): Promise<Array<{ id: string; values: Record<string, unknown> }>> {
    const head = await readHead(this.database, ctx, tableId);
    return this.database.query(ctx, READ_CHOSEN, [ctx.orgId, head.rowSet, rowIds, keys]);
  }

  /** Marks cells that are still pending as skipped. Does nothing when the table was deleted. */
  async skipPending(
    tx: TxCtx,
    tableId: string,
    pending: { keys: readonly string[]; rowIds: readonly string[]; error: { code: string; message: string } },
  ): Promise<void> {
    const head = await lockHeadIfThere(this.database, tx, tableId);
    if (!head) return;
    const change = { status: 'skipped', error: pending.error, updated_at: new Date().toISOString() };
    const { keys, rowIds } = pending;
    await this.database.query(tx, SKIP_CHOSEN, [tx.orgId, head.rowSet, keys, rowIds, storableJson(change)]);
  }
}

const VIEW = statement(
  'enrichable-rows.view',
  `SELECT v.positions FROM tables.views v
   WHERE ${ofTenant('v')} AND v.table_id = $2 AND v.id = $3 AND v.expires_at > clock_timestamp()`,
);

/** No value, or an empty text, which an import of JSON may contain. */
const IS_BLANK = `coalesce(r.cell_values -> k.key, 'null') IN ('null', '""')`;
const STATUS = `coalesce(r.cells -> k.key ->> 'status', '')`;

const CHOOSE = statement(
  'enrichable-rows.choose',
  `
  SELECT r.id FROM tables.rows r
  LEFT JOIN unnest($5::int[]) WITH ORDINALITY AS place (position, n) ON place.position = r.position
  WHERE r.org_id = $1 AND r.row_set = $2::bigint AND ($5::int[] IS NULL OR place.n IS NOT NULL)
    AND NOT EXISTS (SELECT FROM unnest($3::text[]) AS k (key) WHERE ${STATUS} = 'pending')
    AND EXISTS (SELECT FROM unnest($3::text[]) AS k (key) WHERE CASE $4::text
      WHEN 'all' THEN TRUE WHEN 'failed' THEN ${STATUS} = 'failed'
      WHEN 'empty' THEN ${IS_BLANK} AND ${STATUS} <> 'failed' ELSE ${IS_BLANK} END)
  ORDER BY coalesce(place.n, r.position) LIMIT $6`,
);

const MARK_PENDING = statement(
  'enrichable-rows.markPending',
  `
  UPDATE tables.rows r SET cells = r.cells || (
    SELECT coalesce(jsonb_object_agg(k.key, $5::jsonb), '{}') FROM unnest($3::text[]) AS k (key) WHERE ${IS_BLANK})
  WHERE r.org_id = $1 AND r.row_set = $2::bigint AND r.position = ANY (${positionsOf('unnest($4::text[])', '$1', '$2::bigint')})`,
);

const READ_CHOSEN = statement(
  'enrichable-rows.read',
  `
  SELECT r.id, CASE WHEN $4::text[] IS NULL THEN r.cell_values ELSE (
    SELECT coalesce(jsonb_object_agg(k.key, r.cell_values -> k.key), '{}') FROM unnest($4::text[]) AS k (key)) END AS "values"
  FROM unnest($3::text[]) WITH ORDINALITY AS chosen (id, n)
  ${rowWithId('chosen.id', '$1', '$2::bigint')} ORDER BY chosen.n`,
).rows<{ values: Record<string, unknown> }>();

const SKIP_CHOSEN = statement(
  'enrichable-rows.skip',
  `
  UPDATE tables.rows r SET cells = r.cells || (
    SELECT coalesce(jsonb_object_agg(k.key, (r.cells -> k.key) || $5::jsonb), '{}')
    FROM unnest($3::text[]) AS k (key) WHERE ${STATUS} = 'pending')
  WHERE r.org_id = $1 AND r.row_set = $2::bigint AND r.position = ANY (${positionsOf('unnest($4::text[])', '$1', '$2::bigint')})`,
);
