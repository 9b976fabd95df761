import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { CursorPageQuery, TABLES_RPC } from '@quarry/dto';
import type { Ctx, RpcTransport } from '@quarry/platform';
import { queryOf } from '../../validation/request.pipe.js';
import { RequestCtx } from '../request-ctx.decorator.js';
import { requireId } from '../resource-ids.js';
import { JsonRoute } from '../route-policy.js';
import { RPC } from '../tokens.js';

/** Live tables. */
@Controller('v1/tables')
export class TablesController {
  constructor(@Inject(RPC) private readonly rpc: RpcTransport) {}

  @Get(':id')
  @JsonRoute()
  read(@RequestCtx() ctx: Ctx, @Param('id') id: string): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.getTable, { tableId: requireId('tbl', id) });
  }

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
