import type { ColumnJson } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import type { TxCtx } from '@quarry/postgres';

/** A row of a table, as an enrollment needs it. */
export interface EnrollmentRow {
  id: string;
  values: Record<string, unknown>;
  /** A service has verified that its address accepts mail: `valid` of verifyEmail, or `verified` of getEmail. */
  isVerified: boolean;
  /** An exclusion list names its company or person. */
  isExcluded: boolean;
  /** It names a fictional person, or the sandbox has filled one of its cells. */
  isFromSandbox: boolean;
}

/** Rows of one table, with its columns. */
export interface EnrollmentTable {
  tableId: string;
  columns: ColumnJson[];
  rows: EnrollmentRow[];
}

/** Reads what an enrollment needs from tables, monitors, exclusion lists and services. */
export abstract class EnrollmentRowsPort {
  /**
   * @param source.emailColumn key of the column that `isVerified` refers to
   * @param page rows from a position on, at most `limit`; or those of some ids, without those that were removed
   * @returns the columns, the number of rows of the table, and the rows
   * @throws AppError table_not_found
   */
  abstract readPage(
    ctx: Ctx | TxCtx,
    source: { tableId: string; emailColumn: string },
    page: { from: number; limit: number } | { rowIds: readonly string[] },
  ): Promise<{ columns: ColumnJson[]; rowCount: number; rows: EnrollmentRow[] }>;

  /**
   * @param page.after `next` of the previous page; null for the first page
   * @returns rows that a monitor has reported as new, in the order in which they were found, grouped by table; the number of rows
   * of the page that were removed; `next` is null on the last page
   * @throws AppError not_found
   */
  abstract readReported(
    ctx: Ctx | TxCtx,
    source: { monitorId: string; emailColumn: string },
    page: { after: string | null; limit: number },
  ): Promise<{ tables: EnrollmentTable[]; missing: number; next: string | null }>;
}
