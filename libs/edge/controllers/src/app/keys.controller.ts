import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { CreateKeyRequest, IDENTITY_RPC } from '@quarry/dto';
import type { OpenSession } from '@quarry/identity';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  actorOf,
  BODIES,
  bodyOf,
  IdempotencyKey,
  IdParam,
  JsonRoute,
  Policy,
  RequestCtx,
  RequestSession,
} from '@quarry/http';

/** Serves API keys of both modes: owners see all of the organisation, others their own. */
@Controller('app/api/keys')
export class KeysController {
  constructor(private readonly rpc: RpcTransport) {}

  @Get()
  @JsonRoute({ access: 'session' })
  async listKeys(@RequestCtx() ctx: Ctx, @RequestSession() session: OpenSession): Promise<string> {
    return JSON.stringify(await this.rpc.call(ctx, IDENTITY_RPC.listKeys, { actor: actorOf(session) }));
  }

  @Post()
  @HttpCode(201)
  @JsonRoute({ access: 'session', body: BODIES.ordinary })
  async createKey(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateKeyRequest)) { name, mode, ...body }: CreateKeyRequest,
  ): Promise<string> {
    const made = await this.rpc.call(ctx, IDENTITY_RPC.createKey, {
      actor: actorOf(session),
      name,
      mode,
      expiresAt: body.expires_at ?? null,
      capDay: body.cap_day ?? null,
      capMonth: body.cap_month ?? null,
      idempotencyKey,
    });
    return JSON.stringify(made);
  }

  @Delete(':id')
  @HttpCode(204)
  @Policy({ access: 'session' })
  async revokeKey(
    @RequestCtx() ctx: Ctx,
    @RequestSession() session: OpenSession,
    @IdParam('key') keyId: string,
  ): Promise<void> {
    const request = { actor: actorOf(session), keyId };
    await this.rpc.call(ctx, IDENTITY_RPC.revokeKey, request);
  }
}
