import { Controller, Delete, Get, HttpCode } from '@nestjs/common';
import { IDENTITY_RPC } from '@quarry/dto';
import type { OpenSession } from '@quarry/identity';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { actorOf, IdParam, JsonRoute, Policy, RequestCtx, RequestSession } from '@quarry/http';

/** Serves the sessions of a user, on all devices. */
@Controller('app/api/sessions')
export class SessionsController {
  constructor(private readonly rpc: RpcTransport) {}

  @Get()
  @JsonRoute({ access: 'session' })
  async listSessions(@RequestCtx() ctx: Ctx, @RequestSession() session: OpenSession): Promise<string> {
    return JSON.stringify(await this.rpc.call(ctx, IDENTITY_RPC.listSessions, { actor: actorOf(session) }));
  }

  @Delete(':id')
  @HttpCode(204)
  @Policy({ access: 'session', role: 'viewer' })
  async endSession(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @IdParam('session') sessionId: string,
  ): Promise<void> {
    const request = { actor: actorOf(session), sessionId };
    await this.rpc.call(ctx, IDENTITY_RPC.endSession, request);
  }
}
