import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import {
  CellDetails,
  CreateViewRequest,
  CursorPageQuery,
  parseResource,
  RenameRequest,
  Row,
  RowPage,
  SERVICES_RPC,
  Table,
  TableListQuery,
  TablePage,
  TABLES_RPC,
  TableView,
  TableWindow,
  WindowQuery,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { requireId, type Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { BODIES, bodyOf, Documented, IdParam, JsonRoute, Policy, queryOf, RequestCtx } from '@quarry/http';

const COLUMN_PATH = { key: 'The key of the column.' };

/** Serves live tables. */
@Controller('v1/tables')
export class TablesController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: { sdk: 'tables.list', command: 'tables list' },
    summary: 'Lists the tables of all workspaces, the newest first.',
    answers: { 200: { description: 'A page of tables.', body: TablePage } },
    errors: ['workspace_not_found'],
  })
  @Get()
  @JsonRoute({ query: 'validated' })
  findTables(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(TableListQuery)) { limit, offset, q, workspace_id: workspaceId }: TableListQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.findTables, {
      limit,
      offset,
      q: q ?? null,
      workspaceId: workspaceId === undefined ? null : requireId('ws', workspaceId),
    });
  }

  @Documented({
    client: { sdk: 'tables.get', command: 'tables get {id}' },
    summary: 'Reads a live table.',
    answers: { 200: { description: 'The table.', body: Table } },
  })
  @Get(':id')
  @JsonRoute()
  getTable(@RequestCtx() ctx: Ctx, @IdParam('tbl') tableId: string): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.getTable, { tableId });
  }

  @Documented({
    client: { sdk: 'tables.update', command: 'tables rename {id} {body.name}' },
    summary: 'Renames a live table.',
    answers: { 200: { description: 'The renamed table.', body: Table } },
    example: { name: 'Leads of autumn' },
  })
  @Patch(':id')
  @JsonRoute({ body: BODIES.ordinary })
  renameTable(
    @RequestCtx() ctx: Ctx,
    @IdParam('tbl') tableId: string,
    @Body(bodyOf(RenameRequest)) { name }: RenameRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.renameTable, { tableId, name });
  }

  @Documented({
    client: { sdk: 'tables.delete', command: 'tables delete {id}' },
    summary: 'Deletes a live table.',
    description:
      'The table and its exports then answer 404, and are deleted after some time. What runs on it ends. Frozen tables of runs stay.',
    answers: { 204: { description: 'Deleted.', body: null } },
  })
  @Delete(':id')
  @Policy({})
  async deleteTable(@RequestCtx() ctx: Ctx, @IdParam('tbl') tableId: string): Promise<void> {
    await this.rpc.call(ctx, TABLES_RPC.deleteTable, { tableId });
  }

  @Documented({
    client: {},
    summary: 'Renames a column of a live table.',
    description: 'Its key does not change, because rows, views, mappings and templates name columns by key.',
    answers: { 200: { description: 'The table.', body: Table } },
    errors: ['not_found'],
    path: COLUMN_PATH,
    example: { name: 'Work email' },
  })
  @Patch(':id/columns/:key')
  @JsonRoute({ body: BODIES.ordinary })
  renameColumn(
    @RequestCtx() ctx: Ctx,
    @IdParam('tbl') tableId: string,
    @Param('key') key: string,
    @Body(bodyOf(RenameRequest)) { name }: RenameRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.renameColumn, { tableId, key, name });
  }

  @Documented({
    client: {},
    summary: 'Deletes a column of a live table.',
    description:
      'Its values and their sources are deleted at once. The last column cannot be deleted, nor one that a run or an enrichment is filling or reading.',
    answers: { 200: { description: 'The table without the column.', body: Table } },
    errors: ['not_found', 'table_busy'],
    path: COLUMN_PATH,
  })
  @Delete(':id/columns/:key')
  @JsonRoute()
  deleteColumn(
    @RequestCtx() ctx: Ctx,
    @IdParam('tbl') tableId: string,
    @Param('key') key: string,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.deleteColumn, { tableId, key });
  }

  @Documented({
    client: { sdk: 'tables.listRows', command: 'tables rows {id}' },
    summary: 'Reads the rows of a live table.',
    answers: { 200: { description: 'A page of rows.', body: RowPage } },
  })
  @Get(':id/rows')
  @JsonRoute({ query: 'validated' })
  listRows(
    @RequestCtx() ctx: Ctx,
    @IdParam('tbl') tableId: string,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string | Buffer> {
    return this.rpc.call(ctx, TABLES_RPC.listRows, { tableId, limit, cursor: cursor ?? null });
  }

  @Documented({
    client: { sdk: 'tables.readWindow' },
    summary: 'Reads rows of a live table by position.',
    description: 'Any position is equally fast. With `view`, positions are those of the view.',
    answers: { 200: { description: 'The rows from the position on.', body: TableWindow } },
    errors: ['not_found'],
  })
  @Get(':id/window')
  @JsonRoute({ query: 'validated' })
  readWindow(
    @RequestCtx() ctx: Ctx,
    @IdParam('tbl') tableId: string,
    @Query(queryOf(WindowQuery)) { from, count, view }: WindowQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.readWindow, { tableId, from, count, viewId: view ?? null });
  }

  @Documented({
    client: { sdk: 'tables.createView' },
    isRepeatable: true,
    summary: 'Creates a view of a live table: filtered and sorted rows.',
    description:
      'A view does not change, and is kept for an hour after its last use. Nulls come last in either direction. Text is compared without case and accents; `query` searches all text columns.',
    answers: { 201: { description: 'The view.', body: TableView } },
    example: { sort: [{ key: 'name', direction: 'asc' }], filter: [{ key: 'domain', op: 'filled' }] },
  })
  @Post(':id/views')
  @JsonRoute({ role: 'viewer', body: BODIES.ordinary })
  async createView(
    @RequestCtx() ctx: Ctx,
    @IdParam('tbl') tableId: string,
    @Body(bodyOf(CreateViewRequest)) view: CreateViewRequest,
  ): Promise<string> {
    return (await this.rpc.call(ctx, TABLES_RPC.createView, { tableId, view })).json;
  }

  @Documented({
    client: { sdk: 'tables.getRow' },
    summary: 'Reads a row of a live table.',
    answers: { 200: { description: 'The row.', body: Row } },
  })
  @Get(':id/rows/:row_id')
  @JsonRoute()
  getRow(
    @RequestCtx() ctx: Ctx,
    @IdParam('tbl') tableId: string,
    @IdParam('row', 'row_id') rowId: string,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.getRow, { tableId, rowId });
  }

  @Documented({
    client: { sdk: 'tables.getCell' },
    summary: 'Reads a cell of a live table: its value, the providers asked and the cost.',
    answers: { 200: { description: 'The cell.', body: CellDetails } },
    path: { key: 'The key of the column.' },
  })
  @Get(':id/rows/:row_id/cells/:key')
  @JsonRoute()
  async getCell(
    @RequestCtx() ctx: Ctx,
    @IdParam('tbl') tableId: string,
    @IdParam('row', 'row_id') rowId: string,
    @Param('key') key: string,
  ): Promise<string> {
    const request = { tableId, rowId, key };
    const { value, cell, jobId } = await this.rpc.call(ctx, TABLES_RPC.getCell, request);
    const [trail, cost] = jobId === null ? [null, null] : await this.originOf(ctx, jobId);
    return `{"value":${value},"cell":${cell},"trail":${JSON.stringify(trail)},"cost":${JSON.stringify(cost)}}`;
  }

  /** Returns the providers that were called for a job, as long as they are stored, and the price of its answer. */
  private originOf(ctx: Ctx, jobId: string) {
    const trail = this.rpc.call(ctx, SERVICES_RPC.getTrail, { jobId }).then(
      (text) => parseResource(text).steps,
      (error: unknown) => {
        if (error instanceof AppError && error.code === 'not_found') return null;
        throw error;
      },
    );
    return Promise.all([trail, this.rpc.call(ctx, SERVICES_RPC.costOfJob, { jobId })]);
  }
}
