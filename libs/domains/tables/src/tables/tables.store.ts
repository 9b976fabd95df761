import { Injectable } from '@nestjs/common';
import type { JsonBody, JsonText, RowPage, Table, TablePage } from '@quarry/dto';
import { isId, CursorSigner, notFound, type Ctx } from '@quarry/app';
import { Database, type TxCtx, ofTenant, tenantOf } from '@quarry/postgres';
import { offsetPage } from '../sql/json-text.js';
import { readRowPage, ROW_LISTS, rowPage, type PageRow } from './row-page.js';
import { statement } from '../statements.types.js';

/** Contract resource Table, from `tables.tables t`. */
const TABLE_ITEM = `
  t.id, t.workspace_id, t.name, t.columns, t.row_count,
  (SELECT counts FROM (SELECT t.qualified, t.disqualified,
     t.row_count - t.qualified - t.disqualified AS unknown) AS counts) AS fit_counts,
  (SELECT links FROM (SELECT '/v1/tables/' || t.id AS self, '/v1/tables/' || t.id || '/rows' AS rows) AS links) AS links`;

const OPEN_TABLE = `tables.tables t JOIN tables.workspaces w
  ON w.org_id = t.org_id AND w.id = t.workspace_id AND w.archived_at IS NULL`;

/** Reads live tables. Writers maintain the counts of each table, so that reading them takes one row. */
@Injectable()
export class TablesStore {
  constructor(
    private readonly database: Database,
    private readonly cursors: CursorSigner,
  ) {}

  /** @returns a page of Tables, oldest first @throws AppError workspace_not_found */
  async listTables(
    ctx: Ctx,
    query: { workspaceId: string; limit: number; offset: number },
  ): Promise<JsonText<typeof TablePage>> {
    if (!isId('ws', query.workspaceId)) throw notFound('ws');
    const row = await this.database.queryOne(
      ctx,
      LIST,
      [tenantOf(ctx), query.limit, query.offset, query.workspaceId],
      'list',
    );
    if (!row) throw notFound('ws');
    return row.json;
  }

  /** @returns a page of the Tables of open workspaces, newest first @throws AppError workspace_not_found */
  async findTable(
    ctx: Ctx,
    query: { workspaceId: string | null; q: string | null; limit: number; offset: number },
  ): Promise<JsonText<typeof TablePage>> {
    const { workspaceId, q, limit, offset } = query;
    // Checks that the workspace is the caller's, too.
    if (workspaceId !== null) await this.listTables(ctx, { workspaceId, limit: 1, offset: 0 });
    const row = await this.database.queryOne(
      ctx,
      FIND,
      [tenantOf(ctx), limit, offset, workspaceId, q],
      'list',
    );
    return row!.json;
  }

  /** @returns a Table @throws AppError table_not_found */
  async getTable(ctx: Ctx | TxCtx, tableId: string): Promise<JsonText<typeof Table>> {
    if (!isId('tbl', tableId)) throw notFound('tbl');
    const row = await this.database.queryOne(ctx, GET, [tenantOf(ctx), tableId], 'read');
    if (!row) throw notFound('tbl');
    return row.json;
  }

  /** @returns a page of Rows in table order @throws AppError table_not_found, then invalid_cursor */
  async listRows(
    ctx: Ctx,
    query: { tableId: string; limit: number; cursor: string | null },
  ): Promise<JsonBody<typeof RowPage>> {
    if (!isId('tbl', query.tableId)) throw notFound('tbl');
    const page = await readRowPage(this.database, this.cursors, ctx, {
      sql: ROWS,
      headParams: [query.tableId],
      binding: { tenant: tenantOf(ctx), endpoint: ROW_LISTS.live, subject: query.tableId },
      limit: query.limit,
      cursor: query.cursor,
    });
    if (page === null) throw notFound('tbl');
    return page;
  }
}

const LIST = statement(
  'tables.list',
  `
  SELECT (${offsetPage({
    item: TABLE_ITEM,
    from: 'tables.tables',
    key: 'org_id, id',
    alias: 't',
    where: `${ofTenant('t')} AND t.workspace_id = $4`,
    orderBy: 't.created_at, t.id',
    limit: '$2',
    offset: '$3',
  })}) AS json
   FROM tables.workspaces WHERE ${ofTenant()} AND id = $4 AND archived_at IS NULL`,
).rows<{ json: JsonText<typeof TablePage> }>();

const FIND = statement(
  'tables.find',
  `
  SELECT (${offsetPage({
    item: TABLE_ITEM,
    from: 'tables.tables',
    key: 'org_id, id',
    alias: 't',
    where: `${ofTenant('t')} AND ($4::text IS NULL OR t.workspace_id = $4)
      AND ($5::text IS NULL OR strpos(lower(t.name), lower($5)) > 0)
      AND EXISTS (SELECT 1 FROM tables.workspaces w
        WHERE ${ofTenant('w')} AND w.id = t.workspace_id AND w.archived_at IS NULL)`,
    orderBy: 't.created_at DESC, t.id DESC',
    limit: '$2',
    offset: '$3',
  })}) AS json`,
).rows<{ json: JsonText<typeof TablePage> }>();

const GET = statement(
  'tables.get',
  `
  SELECT row_to_json(item)::text AS json
  FROM (SELECT ${TABLE_ITEM} FROM ${OPEN_TABLE} WHERE ${ofTenant('t')} AND t.id = $2) AS item`,
).rows<{ json: JsonText<typeof Table> }>();

const ROWS = statement(
  'tables.rows',
  rowPage(`SELECT t.row_set, t.row_count FROM ${OPEN_TABLE} WHERE ${ofTenant('t')} AND t.id = $2`, 2),
)
  .rows<PageRow>()
  .preparedWithJsonText();
