import { Body, Controller, Headers, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { AcceptInvitationRequest, IDENTITY_RPC, type Visitor } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { BODIES, bodyOf, JsonRoute, RequestCtx, sessionCookie } from '@quarry/http';
import type { FastifyReply } from 'fastify';
import { SIGN_IN_ATTEMPTS } from '../tokens.js';

/** Serves invitations: accepting one creates the account and signs in. */
@Controller('app/api/invitations')
export class InvitationsController {
  constructor(
    private readonly rpc: RpcTransport,
    @Inject(SIGN_IN_ATTEMPTS) private readonly attempts: Visitor['attempts'],
  ) {}

  @Post()
  @HttpCode(201)
  @JsonRoute({ access: 'open', body: BODIES.ordinary })
  async acceptInvitation(
    @RequestCtx() ctx: Ctx,
    @Headers('user-agent') agent: string | undefined,
    @Body(bodyOf(AcceptInvitationRequest)) accepted: AcceptInvitationRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const visitor = { address: ctx.address ?? '', agent: agent ?? null, attempts: this.attempts };
    const request = { visitor, ...accepted };
    const { token, session } = await this.rpc.call(ctx, IDENTITY_RPC.acceptInvitation, request);
    reply.header('Set-Cookie', sessionCookie(token));
    return JSON.stringify(session);
  }
}
