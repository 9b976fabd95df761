import type { ColumnJson } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import type { TxCtx } from '@quarry/postgres';

/** Choice of rows that are enriched. Rows with a cell that is pending under one of the keys are never among them. */
export interface RowChoice {
  /** Keys of the columns that are filled. */
  keys: readonly string[];
  /** `unfilled`: both `empty` and `failed`. */
  rows: 'empty' | 'failed' | 'unfilled' | 'all';
  /** Only its rows, in its order; null: all rows, in the order of the table. */
  viewId: string | null;
  limit: number | null;
}

/** Access of enrichments to live tables, which belong to the tables area. */
export abstract class EnrichableRowsPort {
  /** @throws AppError table_not_found */
  abstract getTable(
    ctx: Ctx | TxCtx,
    tableId: string,
  ): Promise<{ workspaceId: string; columns: ColumnJson[] }>;
  /** @returns ids of rows, in order. @throws AppError table_not_found, not_found (view) */
  abstract chooseRows(ctx: Ctx | TxCtx, tableId: string, choice: RowChoice): Promise<string[]>;
  /** Adds the columns that the table does not have, and marks the cells of the rows as pending that hold no value. */
  abstract markPending(
    tx: TxCtx,
    tableId: string,
    columns: ColumnJson[],
    rowIds: readonly string[],
  ): Promise<void>;
  /** @returns the rows in the order of the ids; those that are gone are left out */
  abstract readRows(
    ctx: Ctx,
    tableId: string,
    rowIds: readonly string[],
  ): Promise<Array<{ id: string; values: Record<string, unknown> }>>;
  /** Marks cells that are still pending as skipped. A table that is gone is passed over. */
  abstract skipPending(
    tx: TxCtx,
    tableId: string,
    pending: {
      keys: readonly string[];
      rowIds: readonly string[];
      error: { code: string; message: string };
    },
  ): Promise<void>;
}
