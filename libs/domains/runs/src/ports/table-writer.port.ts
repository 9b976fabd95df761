import type { CellJson, ColumnJson, FitCounts, FitJson } from '@quarry/dto';
import type { TableProfile } from '@quarry/plan';
import type { Ctx } from '@quarry/app';
import type { TxCtx } from '@quarry/postgres';

export interface NewTable {
  id: string;
  workspaceId: string;
  name: string;
  columns: ColumnJson[];
}

export interface NewRow {
  id: string;
  values: Record<string, unknown>;
  cells: Record<string, CellJson>;
  fit: FitJson;
}

export interface RowUpdate {
  id: string;
  values: Record<string, unknown>;
  cells: Record<string, CellJson>;
}

/** Writes of the agent to tables, which belong to the tables library. Every write may be repeated without effect. */
export abstract class TableWriterPort {
  abstract createTable(ctx: Ctx | TxCtx, table: NewTable): Promise<void>;
  /** Adds columns at the end; a key that the table has already is left as it is. */
  abstract addColumns(ctx: Ctx | TxCtx, tableId: string, columns: ColumnJson[]): Promise<void>;
  abstract appendRows(ctx: Ctx | TxCtx, tableId: string, rows: NewRow[]): Promise<void>;
  /** Merges values and cells into rows. */
  abstract updateRows(ctx: Ctx | TxCtx, tableId: string, updates: RowUpdate[]): Promise<void>;
  /** Keeps the rows that are named, in the order given, and removes all others. */
  abstract arrangeRows(ctx: Ctx | TxCtx, tableId: string, rowIds: readonly string[]): Promise<void>;
  /** Marks every cell that is still `pending` as `skipped`, for a reason. */
  abstract skipPending(
    ctx: Ctx | TxCtx,
    tableId: string,
    error: { code: string; message: string },
  ): Promise<void>;
  abstract setFit(
    ctx: Ctx | TxCtx,
    tableId: string,
    fits: Array<{ id: string; fit: FitJson }>,
  ): Promise<void>;
  /** Rows in their order, in batches. */
  abstract readRows(
    ctx: Ctx | TxCtx,
    tableId: string,
  ): AsyncIterable<
    Array<{ id: string; values: Record<string, unknown>; cells?: Readonly<Record<string, CellJson>> }>
  >;
  /** One table for each name in the organisation; the workspace's own, where there is one, goes before another's of the same name. */
  abstract listNames(
    ctx: Ctx | TxCtx,
    workspaceId: string | null,
  ): Promise<Array<{ id: string; name: string }>>;
  abstract getTable(ctx: Ctx | TxCtx, tableId: string): Promise<{ columns: ColumnJson[]; rowCount: number }>;
  abstract profileTable(ctx: Ctx | TxCtx, tableId: string): Promise<TableProfile>;
  /** Copies a live table into the run's frozen tables under a key, in the caller's transaction. */
  abstract freezeTable(
    tx: TxCtx,
    frozen: { runId: string; tableId: string; key: string },
  ): Promise<{ rowCount: number; fitCounts: FitCounts }>;
}

/** Says which candidates the organisation has excluded. */
export abstract class ExclusionPort {
  /** @returns the indexes of the candidates that are excluded */
  abstract excludedAmong(
    ctx: Ctx | TxCtx,
    kind: 'companies' | 'people',
    candidates: ReadonlyArray<{ domain?: string | null; linkedin_url?: string | null }>,
  ): Promise<Set<number>>;
}
