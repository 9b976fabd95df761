import { AppError } from '@quarry/error-codes';
import type { PaidLine, PaidLinesPort } from '@quarry/runs';
import type { BatchPart } from './services-part.js';

interface BatchJson {
  jobs: Array<{
    job_id: string;
    status: string;
    result?: Record<string, unknown>;
    error?: { code: string; message: string };
  }>;
}

/** Gives the runs room its paid lookups: the same batches that the API sells. */
export function paidLinesAdapter({ batches, waiters }: BatchPart): PaidLinesPort {
  return {
    submit: async (ctx, batch) => {
      try {
        await batches.create(ctx, batch);
        return { kind: 'accepted' };
      } catch (error) {
        if (error instanceof AppError && ['insufficient_credits', 'usage_limit'].includes(error.code))
          return { kind: 'insufficient' };
        throw error;
      }
    },
    ended: async (ctx, batchId, timeoutMs) => {
      let answer = await batches.read(ctx, batchId);
      if (!answer.done) {
        await waiters.wait(batchId, timeoutMs);
        answer = await batches.read(ctx, batchId);
      }
      return answer.done ? (JSON.parse(answer.json) as BatchJson).jobs.map(endOf) : null;
    },
  };
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
