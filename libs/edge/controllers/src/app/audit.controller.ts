import { Controller, Get, Query } from '@nestjs/common';
import { CursorPageQuery, IDENTITY_RPC } from '@quarry/dto';
import type { OpenSession } from '@quarry/identity';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { actorOf, JsonRoute, queryOf, RequestCtx, RequestSession } from '@quarry/http';

/** Serves the audit log of an organisation to its owners. */
@Controller('app/api/audit')
export class AuditController {
  constructor(private readonly rpc: RpcTransport) {}

  @Get()
  @JsonRoute({ access: 'session', role: 'owner', query: 'validated' })
  async listEntries(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string> {
    const request = { actor: actorOf(session), limit, cursor: cursor ?? null };
    return JSON.stringify(await this.rpc.call(ctx, IDENTITY_RPC.listAudit, request));
  }
}
