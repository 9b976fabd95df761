import { Controller, Get, Query } from '@nestjs/common';
import { GO_RPC, GoRunListQuery } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { JsonRoute, queryOf, RequestCtx } from '@quarry/http';

/** Serves the questions of Go runs to the web application, because the contract has no field for them. */
@Controller(['app/api/live', 'app/api/test'])
export class GoQuestionsController {
  constructor(private readonly rpc: RpcTransport) {}

  @Get('go/questions')
  @JsonRoute({ access: 'session', query: 'validated', area: 'services' })
  listQuestions(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(GoRunListQuery, 'services')) { limit, offset, status }: GoRunListQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, GO_RPC.listQuestions, { limit, offset, status: status ?? null });
  }
}
