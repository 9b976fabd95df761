import type { ColumnJson, ExclusionKind } from '@quarry/dto';
import type { Ctx } from '@quarry/app';

/** A table, or a view of it. */
export interface PushSource {
  tableId: string;
  viewId: string | null;
}

/** A row as a push needs it. */
export interface PushRow {
  id: string;
  /** Position in the table or in the view, from 0. */
  at: number;
  values: Record<string, unknown>;
  /** True if it names a person of the sandbox, or the sandbox has filled one of its cells. */
  isFromSandbox: boolean;
}

/** Access of a push to tables, exclusion lists and suppressions. */
export abstract class PushRowsPort {
  /**
   * @returns the columns, the number of rows, and at most `limit` rows from a position
   * @throws AppError table_not_found, not_found for an unknown view
   */
  abstract readPage(
    ctx: Ctx,
    source: PushSource,
    page: { from: number; limit: number },
  ): Promise<{ columns: ColumnJson[]; rowCount: number; rows: PushRow[] }>;

  /** @returns the indexes of those that are on the exclusion list of this kind */
  abstract excludedAmong(
    ctx: Ctx,
    kind: ExclusionKind,
    candidates: ReadonlyArray<{ domain?: string | null; linkedin_url?: string | null }>,
  ): Promise<Set<number>>;

  /** @returns the suppressed ones among the addresses, in lower case */
  abstract suppressedAmong(ctx: Ctx, addresses: readonly string[]): Promise<Set<string>>;
}
