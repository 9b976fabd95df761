import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import {
  ChangeMailboxRequest,
  ConnectMailboxRequest,
  CursorPageQuery,
  DecideApprovalRequest,
  OUTREACH_RPC,
  ResolveMessageRequest,
} from '@quarry/dto';
import type { OpenSession } from '@quarry/identity';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  actorOf,
  BODIES,
  bodyOf,
  IdParam,
  JsonRoute,
  Policy,
  queryOf,
  RequestCtx,
  RequestSession,
} from '@quarry/http';

/** Serves what only a person may do: connect mailboxes, approve messages, delete suppressions. */
@Controller(['app/api/live', 'app/api/test'])
export class OutreachController {
  constructor(private readonly rpc: RpcTransport) {}

  @Post('mailboxes')
  @HttpCode(201)
  @JsonRoute({ access: 'session', body: BODIES.ordinary })
  connectMailbox(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @Body(bodyOf(ConnectMailboxRequest)) body: ConnectMailboxRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.connectMailbox, { actor: actorOf(session), body });
  }

  @Patch('mailboxes/:id')
  @JsonRoute({ access: 'session', body: BODIES.ordinary })
  changeMailbox(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @IdParam('mbx') mailboxId: string,
    @Body(bodyOf(ChangeMailboxRequest)) body: ChangeMailboxRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.changeMailbox, { actor: actorOf(session), mailboxId, body });
  }

  @Delete('mailboxes/:id')
  @HttpCode(204)
  @Policy({ access: 'session' })
  async removeMailbox(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @IdParam('mbx') mailboxId: string,
  ): Promise<void> {
    await this.rpc.call(ctx, OUTREACH_RPC.removeMailbox, { actor: actorOf(session), mailboxId });
  }

  @Get('approvals')
  @JsonRoute({ access: 'session', query: 'validated' })
  listApprovals(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.listApprovals, { limit, cursor: cursor ?? null });
  }

  @Get('approvals/:id')
  @JsonRoute({ access: 'session' })
  readApproval(@RequestCtx() ctx: Ctx, @IdParam('apr') approvalId: string): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.getApproval, { approvalId });
  }

  @Post('approvals/:id')
  @HttpCode(200)
  @JsonRoute({ access: 'session', body: BODIES.ordinary })
  decideApproval(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @IdParam('apr') approvalId: string,
    @Body(bodyOf(DecideApprovalRequest)) body: DecideApprovalRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.decideApproval, { actor: actorOf(session), approvalId, body });
  }

  @Post('messages/:id/resolve')
  @HttpCode(204)
  @Policy({ access: 'session', body: BODIES.ordinary })
  async resolveMessage(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @IdParam('msg') messageId: string,
    @Body(bodyOf(ResolveMessageRequest)) body: ResolveMessageRequest,
  ): Promise<void> {
    await this.rpc.call(ctx, OUTREACH_RPC.resolveMessage, { actor: actorOf(session), messageId, body });
  }

  @Delete('suppressions/:id')
  @HttpCode(204)
  @Policy({ access: 'session' })
  async removeSuppression(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @IdParam('sup') suppressionId: string,
  ): Promise<void> {
    await this.rpc.call(ctx, OUTREACH_RPC.removeSuppression, { actor: actorOf(session), suppressionId });
  }
}
