import type { ColumnJson } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import type { TxCtx } from '@quarry/postgres';

/** Selection of rows to enrich. Rows with a pending cell under one of the keys are never selected. */
export interface RowChoice {
  /** Keys of the columns to fill. */
  keys: readonly string[];
  /** `unfilled`: both `empty` and `failed`. */
  rows: 'empty' | 'failed' | 'unfilled' | 'all';
  /** Only rows of this view, in its order; null for all rows, in the order of the table. */
  viewId: string | null;
  limit: number | null;
}

/** Access to live tables, which the tables library owns. */
export abstract class EnrichableRowsPort {
  /** @throws AppError table_not_found */
  abstract getTable(
    ctx: Ctx | TxCtx,
    tableId: string,
  ): Promise<{ workspaceId: string; columns: ColumnJson[] }>;
  /** @returns ids of rows, in order. @throws AppError table_not_found, not_found (view) */
  abstract chooseRows(ctx: Ctx | TxCtx, tableId: string, choice: RowChoice): Promise<string[]>;
  /** Adds missing columns, and marks cells without a value as pending in the given rows. */
  abstract markPending(
    tx: TxCtx,
    tableId: string,
    columns: ColumnJson[],
    rowIds: readonly string[],
  ): Promise<void>;
  /**
   * @param keys of the values to read; null for all
   * @returns the rows in the order of the ids, without those that no longer exist
   */
  abstract readRows(
    ctx: Ctx,
    tableId: string,
    rowIds: readonly string[],
    keys?: readonly string[] | null,
  ): Promise<Array<{ id: string; values: Record<string, unknown> }>>;
  /** Marks cells that are still pending as skipped. A deleted table is ignored. */
  abstract skipPending(
    tx: TxCtx,
    tableId: string,
    pending: { keys: readonly string[]; rowIds: readonly string[]; error: { code: string; message: string } },
  ): Promise<void>;
}
