import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { CreateWorkspaceRequest, OffsetPageQuery, TABLES_RPC } from '@quarry/dto';
import type { Ctx, RpcTransport } from '@quarry/platform';
import type { FastifyReply } from 'fastify';
import { bodyOf, queryOf } from '../../validation/request.pipe.js';
import { RequestCtx } from '../request-ctx.decorator.js';
import { requireId } from '../resource-ids.js';
import { BODIES, JsonRoute, Policy } from '../route-policy.js';
import { RPC } from '../tokens.js';

/** Workspaces, and the tables in one. */
@Controller('v1/workspaces')
export class WorkspacesController {
  constructor(@Inject(RPC) private readonly rpc: RpcTransport) {}

  @Get()
  @JsonRoute({ query: 'judged' })
  list(@RequestCtx() ctx: Ctx, @Query(queryOf(OffsetPageQuery)) { limit, offset }: OffsetPageQuery) {
    return this.rpc.call(ctx, TABLES_RPC.listWorkspaces, { limit, offset });
  }

  @Post()
  @HttpCode(201)
  @JsonRoute({ body: BODIES.ordinary })
  create(
    @RequestCtx() ctx: Ctx,
    @Body(bodyOf(CreateWorkspaceRequest)) { name }: CreateWorkspaceRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.createWorkspace, { name });
  }

  @Get(':id')
  @JsonRoute()
  read(@RequestCtx() ctx: Ctx, @Param('id') id: string): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.getWorkspace, { workspaceId: requireId('ws', id) });
  }

  @Delete(':id')
  @HttpCode(204)
  @Policy({})
  async archive(@RequestCtx() ctx: Ctx, @Param('id') id: string): Promise<void> {
    await this.rpc.call(ctx, TABLES_RPC.archiveWorkspace, { workspaceId: requireId('ws', id) });
  }

  @Get(':id/tables')
  @JsonRoute({ query: 'judged' })
  listTables(
    @RequestCtx() ctx: Ctx,
    @Param('id') id: string,
    @Query(queryOf(OffsetPageQuery)) { limit, offset }: OffsetPageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.listTables, { workspaceId: requireId('ws', id), limit, offset });
  }

  @Post(':id/tables')
  @HttpCode(201)
  @JsonRoute({ body: BODIES.import })
  async importTable(
    @RequestCtx() ctx: Ctx,
    @Param('id') id: string,
    @Body() body: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const workspaceId = requireId('ws', id);
    const made = await this.rpc.call(ctx, TABLES_RPC.importTable, { workspaceId, body });
    reply.header('Location', `/v1/tables/${made.id}`);
    return made.json;
  }
}
