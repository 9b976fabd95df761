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

/** Writes tables for the agent; every call is idempotent. Implemented by the tables library, like the ports below. */
export abstract class TableWriterPort {
  abstract createTable(ctx: Ctx | TxCtx, table: NewTable): Promise<void>;
  /** Adds columns at the end; existing keys are left unchanged. */
  abstract addColumns(ctx: Ctx | TxCtx, tableId: string, columns: ColumnJson[]): Promise<void>;
  abstract appendRows(ctx: Ctx | TxCtx, tableId: string, rows: NewRow[]): Promise<void>;
  /** Merges values and cells into rows. */
  abstract updateRows(ctx: Ctx | TxCtx, tableId: string, updates: RowUpdate[]): Promise<void>;
  /** Keeps the named rows in the given order, and removes all others. */
  abstract arrangeRows(ctx: Ctx | TxCtx, tableId: string, rowIds: readonly string[]): Promise<void>;
  /** Marks every `pending` cell as `skipped`, with a reason. */
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
}

/** Reads tables for the agent. */
export abstract class TableReaderPort {
  /** Yields rows in table order, in batches. */
  abstract readRows(
    ctx: Ctx | TxCtx,
    tableId: string,
  ): AsyncIterable<
    Array<{ id: string; values: Record<string, unknown>; cells?: Readonly<Record<string, CellJson>> }>
  >;
  /** Returns one table for each name in the organisation; a table of the given workspace wins over others of the same name. */
  abstract listNames(
    ctx: Ctx | TxCtx,
    workspaceId: string | null,
  ): Promise<Array<{ id: string; name: string }>>;
  abstract getTable(ctx: Ctx | TxCtx, tableId: string): Promise<{ columns: ColumnJson[]; rowCount: number }>;
  abstract profileTable(ctx: Ctx | TxCtx, tableId: string): Promise<TableProfile>;
}

/** Freezes tables for the agent. */
export abstract class TableFreezerPort {
  /** Copies a live table into the run's frozen tables under a key, in the caller's transaction. */
  abstract freezeTable(
    tx: TxCtx,
    frozen: { runId: string; tableId: string; key: string },
  ): Promise<{ rowCount: number; fitCounts: FitCounts }>;
}

/** Tells which candidates the organisation has excluded. */
export abstract class ExclusionPort {
  /** @returns the positions of the excluded candidates */
  abstract excludedAmong(
    ctx: Ctx | TxCtx,
    kind: 'companies' | 'people',
    candidates: ReadonlyArray<{ domain?: string | null; linkedin_url?: string | null }>,
  ): Promise<Set<number>>;
}
