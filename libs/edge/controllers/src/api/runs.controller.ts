import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import {
  CreateRunRequest,
  CursorPageQuery,
  RowPage,
  Run,
  RunListQuery,
  RunOutput,
  RunPage,
  RunSteps,
  RUNS_RPC,
  TABLES_RPC,
} from '@quarry/dto';
import { type Ctx, HeldReads } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  BODIES,
  bodyOf,
  Documented,
  IdempotencyKey,
  IdParam,
  JsonRoute,
  MaxCredits,
  queryOf,
  RequestCtx,
} from '@quarry/http';
import type { FastifyReply } from 'fastify';
import { HeldReadQuery } from './requests/held-read.query.js';

/** Serves runs: starts, follows and cancels them, and reads what they published. */
@Controller('v1/runs')
export class RunsController {
  constructor(
    private readonly rpc: RpcTransport,
    private readonly heldReads: HeldReads,
  ) {}

  @Documented({
    client: { sdk: 'runs.create', command: 'run {body.prompt} --max-credits 25' },
    spends: true,
    summary: 'Starts a run.',
    description:
      'Answers at once; read the run to follow it. Only one run may be active in a conversation. When words of the prompt are not understood, paid columns are not filled: the message names the plan to run to fill them.',
    answers: { 202: { description: 'The run, queued.', body: Run } },
    errors: ['workspace_mismatch', 'workspace_not_found', 'conversation_not_found', 'conversation_busy'],
    example: {
      prompt:
        '20 fintech companies in Berlin with 50 to 200 employees, with the e-mail of their head of marketing',
    },
  })
  @Post()
  @JsonRoute({ rateClass: 'heavy', body: BODIES.ordinary })
  async createRun(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @MaxCredits() maxCredits: number | undefined,
    @Body(bodyOf(CreateRunRequest)) body: CreateRunRequest,
  ): Promise<string> {
    return (await this.rpc.call(ctx, RUNS_RPC.createRun, { body, maxCredits, idempotencyKey })).json;
  }

  @Documented({
    client: { sdk: 'runs.list', command: 'run list' },
    summary: 'Lists runs, the newest first.',
    answers: { 200: { description: 'A page of runs.', body: RunPage } },
  })
  @Get()
  @JsonRoute({ query: 'validated' })
  listRuns(@RequestCtx() ctx: Ctx, @Query(queryOf(RunListQuery)) query: RunListQuery): Promise<string> {
    return this.rpc.call(ctx, RUNS_RPC.listRuns, {
      limit: query.limit,
      offset: query.offset,
      workspaceId: query.workspace_id ?? null,
      conversationId: query.conversation_id ?? null,
    });
  }

  @Documented({
    client: { sdk: 'runs.get', command: 'run get {id}' },
    summary: 'Reads a run.',
    description:
      'With wait_seconds the answer comes when the run has ended, or when the wait is over. A failed run is also answered with 200: read its status.',
    answers: { 200: { description: 'The run.', body: Run } },
  })
  @Get(':id')
  @JsonRoute({ query: 'validated', isHeld: true })
  getRun(
    @RequestCtx() ctx: Ctx,
    @IdParam('run') runId: string,
    @Query(queryOf(HeldReadQuery)) { wait_seconds: waitSeconds }: HeldReadQuery,
  ): Promise<string> {
    // The call of a held read has a later deadline, which an ordinary read should not wait for.
    const ask = (seconds: number): Promise<string> =>
      seconds === 0
        ? this.rpc.call(ctx, RUNS_RPC.getRun, { runId })
        : this.rpc.call(ctx, RUNS_RPC.waitForRun, { runId, waitSeconds: seconds });
    return this.heldReads.readWithin(waitSeconds, ask);
  }

  @Documented({
    client: { sdk: 'runs.cancel', command: 'run cancel {id}' },
    isRepeatable: true,
    summary: 'Cancels a run.',
    description: 'Tables built so far stay.',
    answers: {
      200: { description: 'It had already ended: unchanged.', body: Run },
      202: { description: 'It ends at its next step.', body: Run },
    },
  })
  @Post(':id/cancel')
  @JsonRoute()
  async cancelRun(
    @RequestCtx() ctx: Ctx,
    @IdParam('run') runId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { accepted, json } = await this.rpc.call(ctx, RUNS_RPC.cancelRun, { runId });
    reply.code(accepted ? 202 : 200);
    return json;
  }

  @Documented({
    client: { sdk: 'runs.getSteps' },
    summary: 'Reads the steps of a run.',
    description: 'The prompt, and each step with its times and its charge.',
    answers: { 200: { description: 'The steps so far.', body: RunSteps } },
  })
  @Get(':id/steps')
  @JsonRoute()
  getRunSteps(@RequestCtx() ctx: Ctx, @IdParam('run') runId: string): Promise<string> {
    return this.rpc.call(ctx, RUNS_RPC.getRunSteps, { runId });
  }

  @Documented({
    client: { sdk: 'runs.getOutput' },
    summary: 'Reads the published output of a run.',
    description: 'There is an output only when the run had an output contract and has completed.',
    answers: { 200: { description: 'The published output.', body: RunOutput } },
    errors: ['output_not_found'],
  })
  @Get(':id/output')
  @JsonRoute()
  getRunOutput(@RequestCtx() ctx: Ctx, @IdParam('run') runId: string): Promise<string> {
    return this.rpc.call(ctx, RUNS_RPC.getOutput, { runId });
  }

  @Documented({
    client: { sdk: 'runs.listOutputRows' },
    summary: 'Reads the rows of a frozen table.',
    description: 'The rows as they were when the run ended.',
    answers: { 200: { description: 'A page of rows.', body: RowPage } },
    errors: ['table_not_found'],
    path: { key: 'Key of the frozen table, which the message of the run names.' },
  })
  @Get(':id/output/tables/:key/rows')
  @JsonRoute({ query: 'validated' })
  listFrozenRows(
    @RequestCtx() ctx: Ctx,
    @IdParam('run') runId: string,
    @Param('key') tableKey: string,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string | Buffer> {
    return this.rpc.call(ctx, TABLES_RPC.listFrozenRows, { runId, tableKey, limit, cursor: cursor ?? null });
  }
}
