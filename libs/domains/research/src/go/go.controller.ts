import { Controller } from '@nestjs/common';
import { GO_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { GoRunStore } from './go-run.store.js';
import { GoWaiters } from './go-waiters.js';

type Rpc = typeof GO_RPC;

/** Handles the calls that start, follow and cancel Go runs. */
@Controller()
export class GoController {
  constructor(
    private readonly runs: GoRunStore,
    private readonly waiters: GoWaiters,
  ) {}

  @Answers(GO_RPC.create)
  createRun(ctx: Ctx, { body, heldSeconds, idempotencyKey = null }: RequestOf<Rpc['create']>) {
    return this.runs.createRun(ctx, { body, heldSeconds }, idempotencyKey);
  }

  /** Holds the read until the run has ended or the wait is over. */
  @Answers(GO_RPC.get)
  async getRun(ctx: Ctx, { runId, waitSeconds }: RequestOf<Rpc['get']>) {
    const now = await this.runs.readRun(ctx, runId);
    if (now.hasEnded || waitSeconds === 0) return now;
    await this.waiters.waitForEnd(runId, waitSeconds * 1000);
    return this.runs.readRun(ctx, runId);
  }

  @Answers(GO_RPC.list)
  listRuns(ctx: Ctx, query: RequestOf<Rpc['list']>) {
    return this.runs.listRuns(ctx, query);
  }

  @Answers(GO_RPC.listQuestions)
  listQuestions(ctx: Ctx, query: RequestOf<Rpc['listQuestions']>) {
    return this.runs.listQuestions(ctx, query);
  }

  @Answers(GO_RPC.cancel)
  cancelRun(ctx: Ctx, { runId }: RequestOf<Rpc['cancel']>) {
    return this.runs.cancelRun(ctx, runId);
  }
}
