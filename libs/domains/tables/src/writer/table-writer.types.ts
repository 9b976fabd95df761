import type { CellJson, ColumnJson, FitCounts, FitJson, RowJson } from '@quarry/dto';

export interface NewTable {
  /** Made by the caller, so that a replayed step makes the same table. */
  id: string;
  workspaceId: string;
  name: string;
  columns: ColumnJson[];
}

export interface NewRow {
  /** Made by the caller, so that a replayed step adds the row once. */
  id: string;
  /** By column key; a missing key is null. */
  values: Record<string, unknown>;
  cells?: Record<string, CellJson>;
  /** Absent: not evaluated yet. */
  fit?: FitJson;
}

/** New values and cells of a row; keys that are not named stay as they are. */
export interface RowChange {
  id: string;
  values?: Record<string, unknown>;
  cells?: Record<string, CellJson>;
}

export interface RowFit {
  id: string;
  fit: FitJson;
}

export interface TableSummary {
  id: string;
  workspaceId: string;
  name: string;
  columns: ColumnJson[];
  rowCount: number;
  fitCounts: FitCounts;
}

/** Facts about a table that a planner may know without reading it. */
export interface TableProfile extends Pick<TableSummary, 'id' | 'name' | 'columns' | 'rowCount'> {
  /** By column key, most frequent first, from texts, numbers and booleans. Incomplete if there may be others. */
  values: Record<string, { values: string[]; isComplete: boolean }>;
}

export type StoredRow = RowJson;
