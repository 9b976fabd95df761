import { Controller } from '@nestjs/common';
import { parseResource, RUNS_RPC, type RequestOf, type RunStatus } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { RunReadingStore } from './run-reading.store.js';
import { RunStepStore } from './run-steps.store.js';
import { RunStore } from './run.store.js';
import { RunWaiters } from './run-waiters.js';

type Rpc = typeof RUNS_RPC;

const OPEN: ReadonlySet<RunStatus> = new Set(['queued', 'running', 'recovering']);

/** Answers calls that start, follow and cancel runs, or read what they published. */
@Controller()
export class RunsController {
  constructor(
    private readonly runs: RunStore,
    private readonly steps: RunStepStore,
    private readonly readings: RunReadingStore,
    private readonly waiters: RunWaiters,
  ) {}

  @Answers(RUNS_RPC.createRun)
  createRun(ctx: Ctx, { body, maxCredits, idempotencyKey = null }: RequestOf<Rpc['createRun']>) {
    return this.runs.createRun(ctx, body, idempotencyKey, { maxCredits });
  }

  @Answers(RUNS_RPC.listRuns)
  listRuns(ctx: Ctx, query: RequestOf<Rpc['listRuns']>) {
    return this.runs.listRuns(ctx, query);
  }

  @Answers(RUNS_RPC.getRun)
  getRun(ctx: Ctx, { runId }: RequestOf<Rpc['getRun']>) {
    return this.runs.readRun(ctx, runId);
  }

  @Answers(RUNS_RPC.waitForRun)
  async waitForRun(ctx: Ctx, { runId, waitSeconds }: RequestOf<Rpc['waitForRun']>) {
    const now = await this.runs.readRun(ctx, runId);
    if (!OPEN.has(parseResource(now).status)) return now;
    await this.waiters.waitForEnd(runId, waitSeconds * 1000);
    return this.runs.readRun(ctx, runId);
  }

  @Answers(RUNS_RPC.cancelRun)
  cancelRun(ctx: Ctx, { runId }: RequestOf<Rpc['cancelRun']>) {
    return this.runs.cancelRun(ctx, runId);
  }

  @Answers(RUNS_RPC.getRunReading)
  readReading(ctx: Ctx, { runId }: RequestOf<Rpc['getRunReading']>) {
    return this.readings.readReading(ctx, runId);
  }

  @Answers(RUNS_RPC.getRunSteps)
  readSteps(ctx: Ctx, { runId }: RequestOf<Rpc['getRunSteps']>) {
    return this.steps.readSteps(ctx, runId);
  }

  @Answers(RUNS_RPC.getOutput)
  getOutput(ctx: Ctx, { runId }: RequestOf<Rpc['getOutput']>) {
    return this.runs.readOutput(ctx, runId);
  }
}
