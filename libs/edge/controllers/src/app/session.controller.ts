import { Body, Controller, Delete, Get, Headers, HttpCode, Inject, Post, Put, Res } from '@nestjs/common';
import { ChangePasswordRequest, IDENTITY_RPC, OpenSessionRequest, type Visitor } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { OpenSession } from '@quarry/identity';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  actorOf,
  BODIES,
  bodyOf,
  JsonRoute,
  noSessionCookie,
  Policy,
  RequestCtx,
  RequestSession,
  sessionCookie,
} from '@quarry/http';
import type { FastifyReply } from 'fastify';
import { SIGN_IN_ATTEMPTS } from '../tokens.js';

/** Serves signing in to the web application and signing out. */
@Controller('app/api/session')
export class SessionController {
  constructor(
    private readonly rpc: RpcTransport,
    @Inject(SIGN_IN_ATTEMPTS) private readonly attempts: Visitor['attempts'],
  ) {}

  @Post()
  @HttpCode(200)
  @JsonRoute({ access: 'open', body: BODIES.ordinary })
  async openSession(
    @RequestCtx() ctx: Ctx,
    @Headers('user-agent') agent: string | undefined,
    @Body(bodyOf(OpenSessionRequest)) body: OpenSessionRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const request = { visitor: this.visitorOf(ctx, agent), ...proofOf(body) };
    const { token, session } = await this.rpc.call(ctx, IDENTITY_RPC.openSession, request);
    reply.header('Set-Cookie', sessionCookie(token));
    return JSON.stringify(session);
  }

  @Get()
  @JsonRoute({ access: 'session' })
  getSession(@RequestSession() session: OpenSession): string {
    return JSON.stringify(session.shown);
  }

  @Put('password')
  @HttpCode(204)
  @Policy({ access: 'session', role: 'viewer', body: BODIES.ordinary })
  async changePassword(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @Body(bodyOf(ChangePasswordRequest))
    { current_password: current, password }: ChangePasswordRequest,
  ): Promise<void> {
    await this.rpc.call(ctx, IDENTITY_RPC.changePassword, {
      actor: actorOf(session),
      visitor: this.visitorOf(ctx),
      currentPassword: current ?? null,
      password,
    });
  }

  @Delete()
  @HttpCode(204)
  @Policy({ access: 'session', role: 'viewer' })
  async endSession(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const request = { actor: actorOf(session), sessionId: session.id };
    await this.rpc.call(ctx, IDENTITY_RPC.endSession, request);
    reply.header('Set-Cookie', noSessionCookie());
  }

  private visitorOf(ctx: Ctx, agent?: string): Visitor {
    return { address: ctx.address ?? '', agent: agent ?? null, attempts: this.attempts };
  }
}

/** @throws AppError unless there is either an address with a password, or only a link */
function proofOf({ email, password, link }: OpenSessionRequest) {
  if (link !== undefined && email === undefined && password === undefined) return { link };
  if (link === undefined && email !== undefined && password !== undefined) return { email, password };
  throw new AppError('invalid_request', 'Send either email and password, or the token of a link as link.');
}
