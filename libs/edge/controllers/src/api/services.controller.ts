import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import {
  Balance,
  CreditUsage,
  CreditUsageQuery,
  Estimate,
  EstimateRequest,
  FAST_SERVICES_RPC,
  LedgerPage,
  LedgerQuery,
  Service,
  ServiceAnswer,
  ServicePage,
  SERVICES_RPC,
  SpendLimits,
} from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  BODIES,
  bodyOf,
  Documented,
  IdempotencyKey,
  IsFresh,
  JsonRoute,
  queryOf,
  RequestCtx,
} from '@quarry/http';
import { ServiceListQuery } from './requests/service-list.query.js';

/** Serves the catalogue, fast services, and the balance. */
@Controller()
export class ServicesController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: { sdk: 'services.list', command: 'services' },
    summary: 'Lists the services.',
    answers: { 200: { description: 'A page of the catalogue.', body: ServicePage } },
  })
  @Get('services')
  @JsonRoute({ query: 'validated', area: 'services' })
  listServices(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(ServiceListQuery, 'services')) { limit, offset, q, mode }: ServiceListQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.listServices, { limit, offset, q: q ?? null, mode: mode ?? null });
  }

  @Documented({
    client: { sdk: 'services.get', command: 'services {name}' },
    summary: 'Reads a service with its schemas.',
    answers: { 200: { description: 'The service.', body: Service } },
    errors: ['not_found'],
    path: { name: 'Name of the service.' },
  })
  @Get('services/:name')
  @JsonRoute({ area: 'services' })
  getService(@RequestCtx() ctx: Ctx, @Param('name') name: string): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.getService, { name });
  }

  /** The service validates the input by its own schema, after it is known to exist. */
  @Documented({
    client: { sdk: 'services.call', command: 'call {name} --input input.json' },
    spends: true,
    summary: 'Runs a fast service.',
    description: 'Each answer is charged, also when the call is repeated without an Idempotency-Key.',
    answers: { 200: { description: 'The answer and its cost.', body: ServiceAnswer } },
    errors: ['insufficient_credits', 'usage_limit', 'not_found', 'provider_error', 'capability_error'],
    path: { name: 'Name of the service.' },
  })
  @Post('services/:name')
  @JsonRoute({ rateClass: 'services', body: BODIES.ordinary, area: 'services' })
  runService(
    @RequestCtx() ctx: Ctx,
    @Param('name') name: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body() input: Record<string, unknown>,
  ): Promise<string> {
    return this.rpc.call(ctx, FAST_SERVICES_RPC.run, { service: name, input, idempotencyKey });
  }

  @Documented({
    client: { sdk: 'credits.get', command: 'credits' },
    summary: 'Reads the balance.',
    answers: { 200: { description: 'The balance.', body: Balance } },
  })
  @Get('credits')
  @JsonRoute({ area: 'services' })
  getCredits(@RequestCtx() ctx: Ctx): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.getCredits, {});
  }

  @Documented({
    client: { sdk: 'credits.getLimits', command: 'limits' },
    summary: 'Reads the spend caps of the organisation and of this key.',
    answers: { 200: { description: 'The caps, and what is used of them.', body: SpendLimits } },
  })
  @Get('v1/limits')
  @JsonRoute({ area: 'services' })
  getLimits(@RequestCtx() ctx: Ctx): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.getLimits, {});
  }

  @Documented({
    client: { sdk: 'credits.estimate', command: 'list {body.service} leads.csv --dry-run' },
    isRepeatable: true,
    summary: 'Estimates the cost of a list.',
    description: 'Nothing is created or charged.',
    answers: { 200: { description: 'The estimate.', body: Estimate } },
    errors: ['not_found'],
    example: {
      service: 'getEmail',
      inputs: [{ first_name: 'Ada', last_name: 'Lovelace', domain: 'analytical.example' }],
    },
  })
  @Post('credits/estimate')
  @JsonRoute({ role: 'viewer', body: BODIES.batch, area: 'services' })
  estimateBatch(
    @RequestCtx() ctx: Ctx,
    @IsFresh() fresh: boolean,
    @Body(bodyOf(EstimateRequest, 'services')) { service, inputs }: EstimateRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.estimate, { service, inputs, fresh });
  }

  @Documented({
    client: { sdk: 'credits.getUsage' },
    summary: 'Sums what was spent, by day, service, run or key.',
    description:
      'Days are in UTC and in order. Of services, runs and keys the hundred most expensive are listed, the most expensive first.',
    answers: { 200: { description: 'The sums.', body: CreditUsage } },
  })
  @Get('credits/usage')
  @JsonRoute({ query: 'validated', area: 'services' })
  getCreditUsage(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(CreditUsageQuery, 'services')) { by, days }: CreditUsageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.sumUsage, { by, days });
  }

  @Documented({
    client: { sdk: 'credits.listLedger', command: 'credits ledger' },
    summary: 'Lists the entries of the credit ledger.',
    answers: { 200: { description: 'A page of entries.', body: LedgerPage } },
  })
  @Get('credits/ledger')
  @JsonRoute({ query: 'validated', area: 'services' })
  listLedger(
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
