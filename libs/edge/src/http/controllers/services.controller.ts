import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { EstimateRequest, FAST_SERVICES_RPC, LedgerQuery, SERVICES_RPC } from '@quarry/dto';
import type { Ctx, RpcTransport } from '@quarry/platform';
import { bodyOf, queryOf } from '../../validation/request.pipe.js';
import { ServiceListQuery } from '../requests/service-list.query.js';
import { RequestCtx } from '../request-ctx.decorator.js';
import { BODIES, JsonRoute } from '../route-policy.js';
import { RPC } from '../tokens.js';

/** The catalogue, fast services, and the balance. */
@Controller()
export class ServicesController {
  constructor(@Inject(RPC) private readonly rpc: RpcTransport) {}

  @Get('services')
  @JsonRoute({ query: 'judged', area: 'services' })
  list(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(ServiceListQuery, 'services')) { limit, offset, q, mode }: ServiceListQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.listServices, { limit, offset, q: q ?? null, mode: mode ?? null });
  }

  @Get('services/:name')
  @JsonRoute({ area: 'services' })
  read(@RequestCtx() ctx: Ctx, @Param('name') name: string): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.getService, { name });
  }

  /** The input is judged by the service's own schema, behind the call: first it must be a service. */
  @Post('services/:name')
  @HttpCode(200)
  @JsonRoute({ rateClass: 'services', body: BODIES.ordinary, area: 'services' })
  run(
    @RequestCtx() ctx: Ctx,
    @Param('name') name: string,
    @Body() input: Record<string, unknown>,
  ): Promise<string> {
    return this.rpc.call(ctx, FAST_SERVICES_RPC.run, { service: name, input });
  }

  @Get('credits')
  @JsonRoute({ area: 'services' })
  credits(@RequestCtx() ctx: Ctx): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.getCredits, {});
  }

  @Post('credits/estimate')
  @HttpCode(200)
  @JsonRoute({ body: BODIES.batch, area: 'services' })
  estimate(
    @RequestCtx() ctx: Ctx,
    @Body(bodyOf(EstimateRequest, 'services')) { service, inputs }: EstimateRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.estimate, { service, inputs });
  }

  @Get('credits/ledger')
  @JsonRoute({ query: 'judged', area: 'services' })
  ledger(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(LedgerQuery, 'services')) query: LedgerQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.listLedger, {
      limit: query.limit,
      cursor: query.cursor ?? null,
      service: query.service ?? null,
      batchId: query.batch_id ?? null,
      runId: query.run_id ?? null,
    });
  }
}
