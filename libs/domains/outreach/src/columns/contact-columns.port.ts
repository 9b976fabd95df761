import type { ColumnJson } from '@quarry/dto';
import type { Ctx } from '@quarry/app';

/** Columns that outreach adds to tables whose people were enrolled. */
export abstract class ContactColumnsPort {
  /** Adds missing columns, and merges values into rows; rows that were removed are ignored. @throws AppError table_not_found */
  abstract showValues(
    ctx: Ctx,
    tableId: string,
    columns: ColumnJson[],
    rows: ReadonlyArray<{ id: string; values: Record<string, unknown> }>,
  ): Promise<void>;
}
