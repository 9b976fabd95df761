import { Injectable } from '@nestjs/common';
import { FAST_SERVICES_RPC, parseResource } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import type { RpcTransport } from '@quarry/rpc';
import {
  DirectCallsPort,
  PaidLinesPort,
  type DirectCall,
  type DirectOutcome,
  type PaidLine,
  type SubmitOutcome,
} from '@quarry/runs';
import { BatchStore, BatchWaiters } from '@quarry/service-jobs';

/** Error codes that mean that the balance or a spend cap does not cover the work. */
const SPENT = ['insufficient_credits', 'usage_limit'];

/** Provides paid lookups to the runs library: the same batches as in the API. */
@Injectable()
export class PaidLinesAdapter extends PaidLinesPort {
  constructor(
    private readonly batches: BatchStore,
    private readonly waiters: BatchWaiters,
  ) {
    super();
  }

  async submitLines(ctx: Ctx, batch: Parameters<PaidLinesPort['submitLines']>[1]): Promise<SubmitOutcome> {
    try {
      await this.batches.createBatch(ctx, batch);
      return { kind: 'accepted' };
    } catch (error) {
      if (error instanceof AppError && SPENT.includes(error.code)) return { kind: 'spent' };
      throw error;
    }
  }

  async findEnded(ctx: Ctx, batchId: string, timeoutMs: number): Promise<PaidLine[] | null> {
    const ends = await this.batches.endsOf(ctx, batchId);
    if (ends) return ends;
    await this.waiters.waitForEnd(batchId, timeoutMs);
    return this.batches.endsOf(ctx, batchId);
  }

  readEnds(ctx: Ctx, batchId: string): Promise<Array<PaidLine | null>> {
    return this.batches.endsSoFar(ctx, batchId);
  }

  async cancelLines(ctx: Ctx, batchId: string): Promise<void> {
    await this.batches.cancelBatch(ctx, batchId).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    });
  }
}

/** Error codes after which a call may be retried with its key: it is in progress, was rate limited, or was not answered. */
const UNDECIDED = ['idempotency_conflict', 'rate_limited', 'upstream_error', 'internal_error'];

/** Provides the fast services to the runs library: the same calls as in the API. */
export class DirectCallsAdapter extends DirectCallsPort {
  /** @param rpc transport to the services side; null if this process has none */
  constructor(private readonly rpc: RpcTransport | null) {
    super();
  }

  async callService(ctx: Ctx, { key, ...call }: DirectCall): Promise<DirectOutcome> {
    if (!this.rpc) return { kind: 'refused', error: NO_WAY };
    try {
      const request = { ...call, idempotencyKey: key };
      const answer = parseResource(await this.rpc.call(ctx, FAST_SERVICES_RPC.run, request));
      const output = answer.output as Record<string, unknown>;
      return { kind: 'answered', output, charged: answer.credits.charged };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message } = error;
      const kind = SPENT.includes(code) ? 'spent' : UNDECIDED.includes(code) ? 'later' : 'refused';
      return { kind, error: { code, message } };
    }
  }
}

const NO_WAY = { code: 'capability_error', message: 'This agent cannot reach the fast services.' } as const;
