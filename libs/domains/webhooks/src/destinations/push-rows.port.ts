import type { ColumnJson, ExclusionKind } from '@quarry/dto';
import type { Ctx } from '@quarry/app';

/** A table, or a view on it. */
export interface PushSource {
  tableId: string;
  viewId: string | null;
}

/** A row as a push needs it. */
export interface PushRow {
  id: string;
  /** Its place in the table or in the view, from 0. */
  at: number;
  values: Record<string, unknown>;
  /** It names somebody of the sandbox, or the sandbox has filled one of its cells. */
  isFromSandbox: boolean;
}

/** Access of a push to tables, exclusion lists and suppressions. */
export abstract class PushRowsPort {
  /**
   * @returns the columns, the number of rows, and the rows from a place on, at most `limit`
   * @throws AppError table_not_found, not_found for a view that is none
   */
  abstract readPage(
    ctx: Ctx,
    source: PushSource,
    page: { from: number; limit: number },
  ): Promise<{ columns: ColumnJson[]; rowCount: number; rows: PushRow[] }>;

  /** @returns the places of those that are on the exclusion list of this kind */
  abstract excludedAmong(
    ctx: Ctx,
    kind: ExclusionKind,
    candidates: ReadonlyArray<{ domain?: string | null; linkedin_url?: string | null }>,
  ): Promise<Set<number>>;

  /** @returns those of the addresses, in lower case, that are never written to */
  abstract suppressedAmong(ctx: Ctx, addresses: readonly string[]): Promise<Set<string>>;
}
