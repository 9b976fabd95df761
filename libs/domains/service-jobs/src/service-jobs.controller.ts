import { Controller } from '@nestjs/common';
import { SERVICES_RPC, type BatchAccepted, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { BatchStore } from './batch.store.js';
import { BatchWaiters } from './batch-waiters.js';
import { SharedReads } from './shared-reads.js';

type Rpc = typeof SERVICES_RPC;

/** Answers calls about batches of slow services, and about jobs. */
@Controller()
export class ServiceJobsController {
  private readonly endedReads = new SharedReads<BatchAccepted>();

  constructor(
    private readonly batches: BatchStore,
    private readonly waiters: BatchWaiters,
  ) {}

  @Answers(SERVICES_RPC.createBatch)
  createBatch(ctx: Ctx, request: RequestOf<Rpc['createBatch']>) {
    return this.batches.createBatch(ctx, request);
  }

  /** Holds the read until the batch has ended or the time is over. */
  @Answers(SERVICES_RPC.getBatch)
  async getBatch(ctx: Ctx, { batchId, waitSeconds }: RequestOf<Rpc['getBatch']>) {
    const read = () => this.batches.readBatch(ctx, batchId);
    // Lines of an open batch need not be read.
    if (waitSeconds === 0 || (await this.batches.hasEnded(ctx, batchId))) return (await read()).json;
    const hasEnded = await this.waiters.waitForEnd(batchId, waitSeconds * 1000);
    const last = hasEnded
      ? await this.endedReads.shareRead(`${ctx.orgId} ${ctx.mode} ${batchId}`, read)
      : await read();
    return last.json;
  }

  @Answers(SERVICES_RPC.cancelBatch)
  cancelBatch(ctx: Ctx, { batchId }: RequestOf<Rpc['cancelBatch']>) {
    return this.batches.cancelBatch(ctx, batchId);
  }

  @Answers(SERVICES_RPC.listJobs)
  listJobs(ctx: Ctx, query: RequestOf<Rpc['listJobs']>) {
    return this.batches.listJobs(ctx, query);
  }

  @Answers(SERVICES_RPC.getTrail)
  getTrail(ctx: Ctx, { jobId }: RequestOf<Rpc['getTrail']>) {
    return this.batches.readTrail(ctx, jobId);
  }

  @Answers(SERVICES_RPC.estimate)
  estimateBatch(ctx: Ctx, request: RequestOf<Rpc['estimate']>) {
    return this.batches.estimateBatch(ctx, request);
  }
}
