import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { Batch, CreateBatchRequest, JobListQuery, JobPage, SERVICES_RPC, Trail } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
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
} from '@quarry/http';
import type { FastifyReply } from 'fastify';
import { HeldReadQuery } from './requests/held-read.query.js';
import { SingleJobRequest } from './requests/single-job.request.js';
import { serviceMode } from './service-mode.js';

/** Seconds after which reading a batch makes sense: most lines take between a second and a minute. */
const RETRY_AFTER_SECONDS = '1';

/** Serves slow services: batches of inputs that run as background jobs. */
@Controller('v1/services/jobs')
export class ServiceJobsController {
  constructor(
    private readonly rpc: RpcTransport,
    private readonly heldReads: HeldReads,
  ) {}

  @Documented({
    client: {
      sdk: 'batches.create({body.service}, {body.inputs})',
      command: 'list {body.service} leads.csv',
    },
    spends: true,
    summary: 'Runs a slow service over a list of inputs.',
    description:
      'One invalid input rejects the whole list. Each line reserves its maximum price, and is charged its actual price.',
    answers: {
      200: { description: 'Every line already had an answer.', body: Batch },
      202: {
        description: 'Accepted; lines are in progress.',
        body: Batch,
        headers: { Location: 'Path of the batch.', 'Retry-After': 'Seconds to wait before reading it.' },
      },
    },
    errors: ['service_not_async', 'insufficient_credits', 'usage_limit', 'not_found'],
    example: {
      service: 'getEmail',
      inputs: [{ first_name: 'Ada', last_name: 'Lovelace', domain: 'analytical.example' }],
    },
  })
  @Post('batch')
  @JsonRoute({ area: 'services', style: 'resources', body: BODIES.batch })
  async createBatch(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @IsFresh() fresh: boolean,
    @Body(bodyOf(CreateBatchRequest)) { service, inputs }: CreateBatchRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const batch = await this.rpc.call(ctx, SERVICES_RPC.createBatch, {
      service,
      inputs,
      fresh,
      idempotencyKey,
    });
    reply.code(batch.done ? 200 : 202);
    if (!batch.done) {
      reply.header('Location', `/v1/services/jobs/batch/${batch.batchId}`);
      reply.header('Retry-After', RETRY_AFTER_SECONDS);
    }
    return batch.json;
  }

  @Documented({
    client: { sdk: 'batches.get' },
    summary: 'Reads a batch.',
    description: 'With wait_seconds the answer comes when the last line has ended, or when the wait is over.',
    answers: { 200: { description: 'The batch.', body: Batch } },
  })
  @Get('batch/:id')
  @JsonRoute({ area: 'services', style: 'resources', query: 'validated', isHeld: true })
  getBatch(
    @RequestCtx() ctx: Ctx,
    @IdParam('svcbatch') batchId: string,
    @Query(queryOf(HeldReadQuery)) { wait_seconds: waitSeconds }: HeldReadQuery,
  ): Promise<string> {
    const ask = (seconds: number): Promise<string> =>
      this.rpc.call(ctx, SERVICES_RPC.getBatch, { batchId, waitSeconds: seconds });
    return this.heldReads.readWithin(waitSeconds, ask);
  }

  @Documented({
    client: { sdk: 'batches.cancel' },
    isRepeatable: true,
    summary: 'Cancels the waiting lines of a batch.',
    answers: { 200: { description: 'The batch.', body: Batch } },
  })
  @Post('batch/:id/cancel')
  @JsonRoute({ area: 'services', style: 'resources' })
  cancelBatch(@RequestCtx() ctx: Ctx, @IdParam('svcbatch') batchId: string): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.cancelBatch, { batchId });
  }

  /** A removed route, which names its replacement. */
  @Documented({
    isInternal: true,
    summary: 'Removed: send a batch of one input instead.',
    answers: {},
    errors: ['list_only', 'service_not_async', 'not_found'],
    deprecated: true,
  })
  @Post()
  @HttpCode(410)
  @JsonRoute({ body: BODIES.ordinary, area: 'services' })
  async createJob(
    @RequestCtx() ctx: Ctx,
    @Body({ transform: readSingleJob }) { service }: SingleJobRequest,
  ): Promise<never> {
    const mode = await serviceMode(this.rpc, ctx, service);
    if (mode === 'slow') {
      throw new AppError(
        'list_only',
        'Slow services run only as batches: send a batch of one input to POST /v1/services/jobs/batch.',
      );
    }
    throw new AppError(
      'service_not_async',
      `This is a fast service: call it directly on POST /services/${service}.`,
    );
  }

  @Documented({
    client: { sdk: 'jobs.getTrail' },
    summary: 'Reads which providers were asked for a job.',
    description:
      'Each provider in order, with its outcome, time and price. Empty until the job has ended; kept as long as its result.',
    answers: { 200: { description: 'The trail.', body: Trail } },
  })
  @Get(':id/trail')
  @JsonRoute({ area: 'services' })
  getTrail(@RequestCtx() ctx: Ctx, @IdParam('svcjob') jobId: string): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.getTrail, { jobId });
  }

  @Documented({
    client: { sdk: 'jobs.list' },
    summary: 'Lists jobs, the newest first.',
    answers: { 200: { description: 'A page of jobs.', body: JobPage } },
  })
  @Get()
  @JsonRoute({ query: 'validated', area: 'services' })
  listJobs(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(JobListQuery, 'services')) query: JobListQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, SERVICES_RPC.listJobs, {
      limit: query.limit,
      offset: query.offset,
      status: query.status ?? null,
      service: query.service ?? null,
      batchId: query.batch_id ?? null,
    });
  }
}

/** Reads only the service: the endpoint is gone, so other fields do not matter. */
function readSingleJob(body: Record<string, unknown>): Promise<SingleJobRequest> {
  return bodyOf(SingleJobRequest, 'services').transform({ service: body.service }, { type: 'body' });
}
