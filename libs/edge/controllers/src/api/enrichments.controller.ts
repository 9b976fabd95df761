import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ColumnDetails,
  CreateEnrichmentRequest,
  Enrichment,
  EnrichmentEstimate,
  RUNS_RPC,
  type UserRole,
} from '@quarry/dto';
import { type Ctx, HeldReads } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  BODIES,
  bodyOf,
  Documented,
  IdempotencyKey,
  IdParam,
  IsFresh,
  JsonRoute,
  queryOf,
  RequestCtx,
  RequestRole,
  requireRole,
} from '@quarry/http';
import type { FastifyReply } from 'fastify';
import { HeldReadQuery } from './requests/held-read.query.js';

/** Serves enrichments: columns of a live table that a service fills. */
@Controller('v1')
export class EnrichmentsController {
  constructor(
    private readonly rpc: RpcTransport,
    private readonly heldReads: HeldReads,
  ) {}

  @Documented({
    client: { sdk: 'tables.enrich' },
    spends: true,
    summary: 'Fills columns of a live table with a service.',
    description:
      'Missing columns are added. Omitted inputs are taken from the usual columns of the table. With `Service-Fresh: true` and `rows: all`, filled cells are looked up again.',
    answers: {
      200: { description: 'A dry run: the cost. Nothing is changed.', body: EnrichmentEstimate },
      202: { description: 'The enrichment, queued.', body: Enrichment },
    },
    errors: ['not_found'],
    example: { service: 'getEmail', columns: [{ key: 'work_email' }], limit: 10 },
  })
  @Post('tables/:id/enrichments')
  @HttpCode(202)
  @JsonRoute({ rateClass: 'heavy', role: 'viewer', body: BODIES.ordinary })
  async createEnrichment(
    @RequestCtx() ctx: Ctx,
    @RequestRole() role: UserRole,
    @IdParam('tbl') tableId: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @IsFresh() isFresh: boolean,
    @Body(bodyOf(CreateEnrichmentRequest)) body: CreateEnrichmentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const request = { tableId, body, isFresh };
    if (body.dry_run !== true) {
      requireRole(role, 'member');
      return this.rpc.call(ctx, RUNS_RPC.createEnrichment, { ...request, idempotencyKey });
    }
    reply.code(200);
    return this.rpc.call(ctx, RUNS_RPC.estimateEnrichment, request);
  }

  @Documented({
    client: {},
    summary: 'Reads a column of a live table: the service that fills it, and what that has cost.',
    answers: { 200: { description: 'The column.', body: ColumnDetails } },
    errors: ['not_found'],
    path: { key: 'The key of the column.' },
  })
  @Get('tables/:id/columns/:key')
  @JsonRoute()
  getColumn(
    @RequestCtx() ctx: Ctx,
    @IdParam('tbl') tableId: string,
    @Param('key') key: string,
  ): Promise<string> {
    return this.rpc.call(ctx, RUNS_RPC.getColumn, { tableId, key });
  }

  @Documented({
    client: { sdk: 'enrichments.get' },
    summary: 'Reads an enrichment.',
    description: 'With wait_seconds the answer comes when it has ended, or when the wait is over.',
    answers: { 200: { description: 'The enrichment.', body: Enrichment } },
  })
  @Get('enrichments/:id')
  @JsonRoute({ query: 'validated', isHeld: true })
  getEnrichment(
    @RequestCtx() ctx: Ctx,
    @IdParam('enr') enrichmentId: string,
    @Query(queryOf(HeldReadQuery)) { wait_seconds: waitSeconds }: HeldReadQuery,
  ): Promise<string> {
    const ask = (seconds: number): Promise<string> =>
      this.rpc.call(ctx, RUNS_RPC.getEnrichment, { enrichmentId, waitSeconds: seconds });
    return this.heldReads.readWithin(waitSeconds, ask);
  }

  @Documented({
    client: { sdk: 'enrichments.cancel' },
    isRepeatable: true,
    summary: 'Cancels an enrichment.',
    description:
      'Lookups in progress finish and are charged; their cells are filled if they end within 4 seconds. Other cells become skipped.',
    answers: {
      200: { description: 'It had already ended: unchanged.', body: Enrichment },
      202: { description: 'It ends at its next step.', body: Enrichment },
    },
  })
  @Post('enrichments/:id/cancel')
  @JsonRoute()
  async cancelEnrichment(
    @RequestCtx() ctx: Ctx,
    @IdParam('enr') enrichmentId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { accepted, json } = await this.rpc.call(ctx, RUNS_RPC.cancelEnrichment, { enrichmentId });
    reply.code(accepted ? 202 : 200);
    return json;
  }
}
