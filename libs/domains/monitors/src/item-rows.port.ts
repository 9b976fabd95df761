import type { Ctx } from '@quarry/app';

/** Read access to the table rows of monitor items. The tables library owns them. */
export abstract class ItemRowsPort {
  /** @returns the rows in the order of the ids, without those that no longer exist. @throws AppError table_not_found */
  abstract readRows(
    ctx: Ctx,
    tableId: string,
    rowIds: readonly string[],
  ): Promise<Array<{ id: string; values: Record<string, unknown> }>>;
}
