import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { CursorPageQuery, RowPage, Table, TABLES_RPC } from '@quarry/dto';
import { requireId, type Ctx, type RpcTransport } from '@quarry/platform';
import { Documented } from '../../openapi/documented.decorator.js';
import { queryOf } from '../../validation/request.pipe.js';
import { RequestCtx } from '../request-ctx.decorator.js';
import { JsonRoute } from '../route-policy.js';
import { RPC } from '../tokens.js';

/** Live tables. */
@Controller('v1/tables')
export class TablesController {
  constructor(@Inject(RPC) private readonly rpc: RpcTransport) {}

  @Documented({
    id: 'getTable',
    summary: 'Reads what a live table is.',
    answers: { 200: { says: 'The table.', body: Table } },
    errors: ['table_not_found'],
    path: { id: 'The table.' },
  })
  @Get(':id')
  @JsonRoute()
  read(@RequestCtx() ctx: Ctx, @Param('id') id: string): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.getTable, { tableId: requireId('tbl', id) });
  }

  @Documented({
    id: 'listRows',
    summary: 'Reads the rows of a live table.',
    answers: { 200: { says: 'A page of rows.', body: RowPage } },
    errors: ['table_not_found', 'invalid_cursor'],
    path: { id: 'The table.' },
  })
  @Get(':id/rows')
  @JsonRoute({ query: 'judged' })
  rows(
    @RequestCtx() ctx: Ctx,
    @Param('id') id: string,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string> {
    const tableId = requireId('tbl', id);
    return this.rpc.call(ctx, TABLES_RPC.listRows, { tableId, limit, cursor: cursor ?? null });
  }
}
