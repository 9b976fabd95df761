import { Body, Controller, Get, Inject, Post, Query, Res } from '@nestjs/common';
import {
  CreateGoRunRequest,
  GO_RPC,
  GoRun,
  GoRunListQuery,
  GoRunPage,
  GoRunReadQuery,
  type ResponseOf,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { type Ctx, HeldReads } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  BODIES,
  bodyOf,
  Documented,
  IdempotencyKey,
  IdParam,
  JsonRoute,
  queryOf,
  RequestCtx,
} from '@quarry/http';
import type { FastifyReply } from 'fastify';
import { GO_SYNC_WAIT_SECONDS } from '../tokens.js';

/** Seconds after which reading a run makes sense: a page takes about one. */
const RETRY_AFTER_SECONDS = '2';
const LATER = { Location: 'Path of the run.', 'Retry-After': 'Seconds to wait before reading it.' };
const REFUSALS = ['insufficient_credits', 'usage_limit', 'capability_error'] as const;
const EXAMPLE = {
  prompt: 'Who is Halbrook Pumps, and how can they be reached?',
  urls: ['https://halbrook.example/'],
  schema: {
    type: 'object',
    properties: { name: { type: 'string' }, founded: { type: 'integer' }, email: { type: 'string' } },
  },
};

/** Serves Go runs: research on the web whose every value is proved by a page. */
@Controller('v1/go')
export class GoController {
  constructor(
    private readonly rpc: RpcTransport,
    private readonly heldReads: HeldReads,
    @Inject(GO_SYNC_WAIT_SECONDS) private readonly heldSeconds: number,
  ) {}

  @Documented({
    client: { sdk: 'go.run', command: 'go {body.prompt}' },
    spends: true,
    summary: 'Researches a question on the web and answers with proved values.',
    description:
      'Waits up to 100 seconds; after that the run goes on and can be read at its Location. The maximum cost is reserved, and what was used is charged at the end. A run that failed or read no page costs nothing.',
    answers: {
      200: { description: 'The run has ended.', body: GoRun },
      202: { description: 'The run goes on.', body: GoRun, headers: LATER },
    },
    errors: [...REFUSALS, 'agent_error'],
    example: EXAMPLE,
  })
  @Post('run')
  @JsonRoute({ rateClass: 'heavy', body: BODIES.ordinary, area: 'services' })
  async runGo(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateGoRunRequest, 'services')) body: CreateGoRunRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { heldSeconds } = this;
    const { id } = await this.rpc.call(ctx, GO_RPC.create, { body, heldSeconds, idempotencyKey });
    const { json, hasEnded, failure } = await this.holdRead(ctx, id, heldSeconds);
    if (failure !== null) throw new AppError('agent_error', failure);
    reply.code(hasEnded ? 200 : 202);
    if (!hasEnded) leadTo(reply, id);
    return json;
  }

  @Documented({
    client: { sdk: 'go.create' },
    spends: true,
    summary: 'Starts research.',
    description: 'Answers at once; read the run to follow it.',
    answers: { 202: { description: 'The run, queued.', body: GoRun, headers: LATER } },
    errors: REFUSALS,
    example: EXAMPLE,
  })
  @Post('runs')
  @JsonRoute({ rateClass: 'heavy', body: BODIES.ordinary, area: 'services' })
  async createGoRun(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateGoRunRequest, 'services')) body: CreateGoRunRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { id, json } = await this.rpc.call(ctx, GO_RPC.create, { body, heldSeconds: 0, idempotencyKey });
    leadTo(reply, id);
    return json;
  }

  @Documented({
    client: { sdk: 'go.list' },
    summary: 'Lists Go runs, the newest first.',
    answers: { 200: { description: 'A page of Go runs.', body: GoRunPage } },
  })
  @Get('runs')
  @JsonRoute({ query: 'validated', area: 'services' })
  listGoRuns(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(GoRunListQuery, 'services')) { limit, offset, status }: GoRunListQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, GO_RPC.list, { limit, offset, status: status ?? null });
  }

  @Documented({
    client: { sdk: 'go.get', command: 'go get {id}' },
    summary: 'Reads a Go run.',
    description:
      'With wait_seconds the answer comes when the run has ended, or when the wait is over. A failed run is also answered with 200: read its status.',
    answers: { 200: { description: 'The run.', body: GoRun } },
  })
  @Get('runs/:id')
  @JsonRoute({ query: 'validated', area: 'services', isHeld: true })
  async getGoRun(
    @RequestCtx() ctx: Ctx,
    @IdParam('gorun') goRunId: string,
    @Query(queryOf(GoRunReadQuery, 'services')) { wait_seconds: waitSeconds }: GoRunReadQuery,
  ): Promise<string> {
    return (await this.holdRead(ctx, goRunId, waitSeconds)).json;
  }

  @Documented({
    client: { sdk: 'go.cancel', command: 'go cancel {id}' },
    isRepeatable: true,
    summary: 'Cancels a Go run.',
    description: 'Values proved so far stay, and what was used is charged.',
    answers: {
      200: { description: 'It had already ended: unchanged.', body: GoRun },
      202: { description: 'It ends at its next step.', body: GoRun },
    },
  })
  @Post('runs/:id/cancel')
  @JsonRoute({ area: 'services' })
  async cancelGoRun(
    @RequestCtx() ctx: Ctx,
    @IdParam('gorun') runId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { accepted, json } = await this.rpc.call(ctx, GO_RPC.cancel, { runId });
    reply.code(accepted ? 202 : 200);
    return json;
  }

  private holdRead(ctx: Ctx, runId: string, waitSeconds: number): Promise<ResponseOf<typeof GO_RPC.get>> {
    const ask = (seconds: number) => this.rpc.call(ctx, GO_RPC.get, { runId, waitSeconds: seconds });
    return this.heldReads.readWithin(waitSeconds, ask);
  }
}

function leadTo(reply: FastifyReply, id: string): void {
  reply.header('Location', `/v1/go/runs/${id}`);
  reply.header('Retry-After', RETRY_AFTER_SECONDS);
}
