import { Injectable } from '@nestjs/common';
import type { ColumnJson, JsonBody, RowPage } from '@quarry/dto';
import { isId, CursorSigner, notFound, type Ctx } from '@quarry/app';
import { Database, type TxCtx, ofTenant, tenantOf } from '@quarry/postgres';
import { isStorableText } from '../sql/storable-text.js';
import { readRowPage, ROW_LISTS, rowPage, type PageRow } from '../tables/row-page.js';
import { FROZEN_COLUMNS, type FrozenHead } from './frozen-head.js';
import { statement } from '../statements.types.js';

/** Access of this library to runs. Implemented by the runs library. */
export abstract class RunReader {
  /** @returns whether the run exists in the context's organisation */
  abstract hasRun(ctx: Ctx, runId: string): Promise<boolean>;
  /** @returns whether a run is writing the table, or an enrichment is filling or reading the column */
  abstract isColumnInUse(ctx: Ctx | TxCtx, tableId: string, key: string): Promise<boolean>;
}

/** Frozen tables: the copies that a run published. They never change after the transaction that made them. */
@Injectable()
export class FrozenTablesStore {
  constructor(
    private readonly database: Database,
    private readonly cursors: CursorSigner,
    private readonly runs: RunReader,
  ) {}

  /**
   * @returns a page of Rows as they were when the table was frozen
   * @throws AppError run_not_found, table_not_found, then invalid_cursor
   */
  async listRows(
    ctx: Ctx,
    query: { runId: string; tableKey: string; limit: number; cursor: string | null },
  ): Promise<JsonBody<typeof RowPage>> {
    const { runId, tableKey } = query;
    if (!isId('run', runId)) throw notFound('run');
    if (!isStorableText(tableKey)) throw await this.absenceError(ctx, runId);
    const page = await readRowPage(this.database, this.cursors, ctx, {
      sql: ROWS,
      headParams: [runId, tableKey],
      binding: {
        tenant: tenantOf(ctx),
        endpoint: ROW_LISTS.frozen,
        subject: JSON.stringify([runId, tableKey]),
      },
      limit: query.limit,
      cursor: query.cursor,
    });
    if (page === null) throw await this.absenceError(ctx, runId);
    return page;
  }

  /** @throws AppError run_not_found, table_not_found */
  async headOrThrow(ctx: Ctx | TxCtx, runId: string, tableKey: string): Promise<FrozenHead> {
    if (!isId('run', runId)) throw notFound('run');
    if (!isStorableText(tableKey)) throw await this.absenceError(ctx, runId);
    const head = await this.database.queryOne(ctx, HEAD, [tenantOf(ctx), runId, tableKey], 'read');
    if (!head) throw await this.absenceError(ctx, runId);
    return head;
  }

  /** Returns the right one of the two 404s. A run whose workspace is archived counts as not found. */
  private async absenceError(ctx: Ctx | TxCtx, runId: string): Promise<Error> {
    const archived = await this.database.queryOne(ctx, FIND_ARCHIVED, [tenantOf(ctx), runId], 'read');
    if (archived || !(await this.runs.hasRun(ctx, runId))) return notFound('run');
    return notFound('tbl');
  }
}

const OPEN_FROZEN_TABLE = `
  FROM tables.frozen_tables f
  JOIN tables.workspaces w ON w.org_id = f.org_id AND w.id = f.workspace_id AND w.archived_at IS NULL
  WHERE ${ofTenant('f')} AND f.run_id = $2 AND f.key = $3`;

const HEAD = statement('frozen-tables.head', `SELECT ${FROZEN_COLUMNS} ${OPEN_FROZEN_TABLE}`).rows<{
  columns: ColumnJson[];
}>();

const FIND_ARCHIVED = statement(
  'frozen-tables.findArchived',
  `
  SELECT 1 FROM tables.frozen_tables f
  JOIN tables.workspaces w ON w.org_id = f.org_id AND w.id = f.workspace_id
  WHERE ${ofTenant('f')} AND f.run_id = $2 AND w.archived_at IS NOT NULL LIMIT 1`,
);

const ROWS = statement('frozen-tables.rows', rowPage(`SELECT f.row_set, f.row_count ${OPEN_FROZEN_TABLE}`, 3))
  .rows<PageRow>()
  .preparedWithJsonText();
