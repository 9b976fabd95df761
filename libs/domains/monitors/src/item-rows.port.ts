import type { Ctx } from '@quarry/app';

/** Narrow read of the rows that items stand in, which belong to the tables library. */
export abstract class ItemRowsPort {
  /** @returns the rows in the order of the ids; those that are gone are left out. @throws AppError table_not_found */
  abstract readRows(
    ctx: Ctx,
    tableId: string,
    rowIds: readonly string[],
  ): Promise<Array<{ id: string; values: Record<string, unknown> }>>;
}
