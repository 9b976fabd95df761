import type { ColumnJson } from '@quarry/dto';
import type { Ctx } from '@quarry/app';

/** Columns that outreach adds to the tables that it has enrolled people from. */
export abstract class ContactColumnsPort {
  /**
   * Adds columns that the table has not got yet, and merges values into rows; a row that is gone is passed over.
   * @throws AppError table_not_found
   */
  abstract showValues(
    ctx: Ctx,
    tableId: string,
    columns: ColumnJson[],
    rows: ReadonlyArray<{ id: string; values: Record<string, unknown> }>,
  ): Promise<void>;
}
