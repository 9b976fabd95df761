import { Injectable } from '@nestjs/common';
import { AppError } from '@quarry/error-codes';
import { IdentityStore } from '@quarry/identity';
import type { Ctx } from '@quarry/platform';
import { KeyAccessPort, PaidLinesPort, type PaidLine, type SubmitOutcome } from '@quarry/runs';
import { BatchStore, BatchWaiters } from '@quarry/service-jobs';

interface BatchJson {
  jobs: Array<{
    job_id: string;
    status: string;
    result?: Record<string, unknown>;
    error?: { code: string; message: string };
  }>;
}

/** Gives the runs room its paid lookups: the same batches that the API sells. */
@Injectable()
export class PaidLinesAdapter extends PaidLinesPort {
  constructor(
    private readonly batches: BatchStore,
    private readonly waiters: BatchWaiters,
  ) {
    super();
  }

  async submit(ctx: Ctx, batch: Parameters<PaidLinesPort['submit']>[1]): Promise<SubmitOutcome> {
    try {
      await this.batches.create(ctx, batch);
      return { kind: 'accepted' };
    } catch (error) {
      if (error instanceof AppError && ['insufficient_credits', 'usage_limit'].includes(error.code))
        return { kind: 'insufficient' };
      throw error;
    }
  }

  async ended(ctx: Ctx, batchId: string, timeoutMs: number): Promise<PaidLine[] | null> {
    let answer = await this.batches.read(ctx, batchId);
    if (!answer.done) {
      await this.waiters.wait(batchId, timeoutMs);
      answer = await this.batches.read(ctx, batchId);
    }
    return answer.done ? (JSON.parse(answer.json) as BatchJson).jobs.map(endOf) : null;
  }
}

/** Tells the runs room which keys still open a door. */
@Injectable()
export class KeyAccessAdapter extends KeyAccessPort {
  constructor(private readonly identity: IdentityStore) {
    super();
  }

  isRevoked(ctx: Ctx, keyId: string): Promise<boolean> {
    return this.identity.isKeyRevoked(ctx, keyId);
  }
}

function endOf(line: BatchJson['jobs'][number]): PaidLine {
  if (line.status === 'completed')
    return { jobId: line.job_id, state: 'completed', result: line.result ?? {} };
  if (line.status === 'failed')
    return {
      jobId: line.job_id,
      state: 'failed',
      error: { code: line.error!.code, message: line.error!.message },
    };
  return { jobId: line.job_id, state: 'cancelled' };
}
