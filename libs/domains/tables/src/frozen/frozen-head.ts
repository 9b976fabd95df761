import type { ColumnJson } from '@quarry/dto';

/** The row of `tables.frozen_tables`, as {@link FROZEN_COLUMNS} reads it. */
export interface FrozenHead {
  key: string;
  workspaceId: string;
  name: string;
  columns: ColumnJson[];
  rowSet: string;
  rowCount: number;
  qualified: number;
  disqualified: number;
  /** Number of erasures in its rows or names. */
  erasures: number;
}

/** Select list of a {@link FrozenHead}, from `tables.frozen_tables f`. */
export const FROZEN_COLUMNS = `f.key, f.workspace_id AS "workspaceId", f.name, f.columns, f.row_set AS "rowSet",
  f.row_count AS "rowCount", f.qualified, f.disqualified, f.erasures`;
