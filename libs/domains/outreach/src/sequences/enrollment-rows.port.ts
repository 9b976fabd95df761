import type { ColumnJson } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import type { TxCtx } from '@quarry/postgres';

/** A row of a table as an enrollment needs it. */
export interface EnrollmentRow {
  id: string;
  values: Record<string, unknown>;
  /** A service has found its address to take mail: `valid` of verifyEmail, or `verified` of getEmail. */
  isVerified: boolean;
  /** An exclusion list names its company or its person. */
  isExcluded: boolean;
  /** It names somebody of the sandbox, or the sandbox has filled one of its cells. */
  isFromSandbox: boolean;
}

/** Rows of one table, with its columns. */
export interface EnrollmentTable {
  tableId: string;
  columns: ColumnJson[];
  rows: EnrollmentRow[];
}

/** Reads of an enrollment from tables, monitors, exclusion lists and services. */
export abstract class EnrollmentRowsPort {
  /**
   * @param source.emailColumn the key of the column that `isVerified` is about
   * @param page rows by their place from 0 on, at most `limit`; or those of some ids, without those that are gone
   * @returns the columns, the number of rows of the table, and the rows
   * @throws AppError table_not_found
   */
  abstract readPage(
    ctx: Ctx | TxCtx,
    source: { tableId: string; emailColumn: string },
    page: { from: number; limit: number } | { rowIds: readonly string[] },
  ): Promise<{ columns: ColumnJson[]; rowCount: number; rows: EnrollmentRow[] }>;

  /**
   * @param page.after `next` of the page before; null for the first page
   * @returns rows that a monitor has reported as new, in the order in which they were found, by the tables that they stand in; how
   *   many of the page are gone; and null for `next` where no page follows
   * @throws AppError not_found
   */
  abstract readReported(
    ctx: Ctx | TxCtx,
    source: { monitorId: string; emailColumn: string },
    page: { after: string | null; limit: number },
  ): Promise<{ tables: EnrollmentTable[]; missing: number; next: string | null }>;
}
