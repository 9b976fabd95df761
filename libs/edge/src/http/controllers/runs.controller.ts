import { Body, Controller, Get, Headers, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { CreateRunRequest, CursorPageQuery, RunListQuery, RUNS_RPC, TABLES_RPC } from '@quarry/dto';
import type { Ctx, RpcTransport } from '@quarry/platform';
import type { FastifyReply } from 'fastify';
import { bodyOf, queryOf } from '../../validation/request.pipe.js';
import { RequestCtx } from '../request-ctx.decorator.js';
import { idempotencyKeyOf } from '../request-headers.js';
import { requireId } from '../resource-ids.js';
import { BODIES, JsonRoute } from '../route-policy.js';
import { RPC } from '../tokens.js';

/** Starting, following and cancelling runs, and what they published. */
@Controller('v1/runs')
export class RunsController {
  constructor(@Inject(RPC) private readonly rpc: RpcTransport) {}

  @Post()
  @HttpCode(202)
  @JsonRoute({ rateClass: 'heavy', body: BODIES.ordinary })
  async create(
    @RequestCtx() ctx: Ctx,
    @Headers('idempotency-key') idempotencyHeader: string | undefined,
    @Body(bodyOf(CreateRunRequest)) body: CreateRunRequest,
  ): Promise<string> {
    const idempotencyKey = idempotencyKeyOf(idempotencyHeader);
    return (await this.rpc.call(ctx, RUNS_RPC.createRun, { body, idempotencyKey })).json;
  }

  @Get()
  @JsonRoute({ query: 'judged' })
  list(@RequestCtx() ctx: Ctx, @Query(queryOf(RunListQuery)) query: RunListQuery): Promise<string> {
    return this.rpc.call(ctx, RUNS_RPC.listRuns, {
      limit: query.limit,
      offset: query.offset,
      workspaceId: query.workspace_id ?? null,
      conversationId: query.conversation_id ?? null,
    });
  }

  @Get(':id')
  @JsonRoute()
  read(@RequestCtx() ctx: Ctx, @Param('id') id: string): Promise<string> {
    return this.rpc.call(ctx, RUNS_RPC.getRun, { runId: requireId('run', id) });
  }

  @Post(':id/cancel')
  @JsonRoute()
  async cancel(
    @RequestCtx() ctx: Ctx,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { accepted, json } = await this.rpc.call(ctx, RUNS_RPC.cancelRun, { runId: requireId('run', id) });
    reply.code(accepted ? 202 : 200);
    return json;
  }

  @Get(':id/output')
  @JsonRoute()
  output(@RequestCtx() ctx: Ctx, @Param('id') id: string): Promise<string> {
    return this.rpc.call(ctx, RUNS_RPC.getOutput, { runId: requireId('run', id) });
  }

  @Get(':id/output/tables/:key/rows')
  @JsonRoute({ query: 'judged' })
  frozenRows(
    @RequestCtx() ctx: Ctx,
    @Param('id') id: string,
    @Param('key') tableKey: string,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string> {
    const runId = requireId('run', id);
    return this.rpc.call(ctx, TABLES_RPC.listFrozenRows, { runId, tableKey, limit, cursor: cursor ?? null });
  }
}
