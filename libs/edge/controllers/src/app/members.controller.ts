import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Req } from '@nestjs/common';
import { ChangeMemberRequest, IDENTITY_RPC, InviteMemberRequest } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { OpenSession } from '@quarry/identity';
import { isId, type Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { actorOf, BODIES, bodyOf, JsonRoute, Policy, RequestCtx, RequestSession } from '@quarry/http';
import type { FastifyRequest } from 'fastify';
import { APP_URL } from '../tokens.js';

/** Serves the members of an organisation and its invitations. */
@Controller('app/api/members')
export class MembersController {
  constructor(
    private readonly rpc: RpcTransport,
    @Inject(APP_URL) private readonly appUrl: string | undefined,
  ) {}

  @Get()
  @JsonRoute({ access: 'session', role: 'member' })
  async listMembers(@RequestCtx() ctx: Ctx, @RequestSession() session: OpenSession): Promise<string> {
    return JSON.stringify(await this.rpc.call(ctx, IDENTITY_RPC.listMembers, { actor: actorOf(session) }));
  }

  @Post()
  @HttpCode(201)
  @JsonRoute({ access: 'session', role: 'owner', body: BODIES.ordinary })
  async inviteMember(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @Body(bodyOf(InviteMemberRequest)) invited: InviteMemberRequest,
    @Req() request: FastifyRequest,
  ): Promise<string> {
    const { member, token, expiresAt } = await this.rpc.call(ctx, IDENTITY_RPC.inviteMember, {
      actor: actorOf(session),
      ...invited,
    });
    const link = `${this.appUrl ?? appAt(request)}/invitation#${token}`;
    return JSON.stringify({ ...member, invitation_link: link, expires_at: expiresAt });
  }

  @Patch(':id')
  @JsonRoute({ access: 'session', role: 'owner', body: BODIES.ordinary })
  async changeMember(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @Param('id') id: string,
    @Body(bodyOf(ChangeMemberRequest)) { role }: ChangeMemberRequest,
  ): Promise<string> {
    const request = { actor: actorOf(session), memberId: memberIdOf(id), role };
    return JSON.stringify(await this.rpc.call(ctx, IDENTITY_RPC.changeMember, request));
  }

  @Delete(':id')
  @HttpCode(204)
  @Policy({ access: 'session', role: 'owner' })
  async removeMember(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @Param('id') id: string,
  ): Promise<void> {
    const request = { actor: actorOf(session), memberId: memberIdOf(id) };
    await this.rpc.call(ctx, IDENTITY_RPC.removeMember, request);
  }
}

/** @throws AppError not_found for an id of neither a user nor an invitation */
function memberIdOf(id: string): string {
  if (isId('usr', id) || isId('inv', id)) return id;
  throw new AppError('not_found', 'Member not found.');
}

/** Returns the address of the application; the gate has checked that the page is of this origin. */
function appAt({ headers }: FastifyRequest): string {
  return `${headers.origin ?? `https://${headers.host}`}/app`;
}
