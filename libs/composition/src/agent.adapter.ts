import { Injectable } from '@nestjs/common';
import { AppError } from '@quarry/error-codes';
import { IdentityStore } from '@quarry/identity';
import type { Ctx } from '@quarry/platform';
import { KeyAccessPort, PaidLinesPort, type PaidLine, type SubmitOutcome } from '@quarry/runs';
import { BatchStore, BatchWaiters } from '@quarry/service-jobs';

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
    const ends = await this.batches.endsOf(ctx, batchId);
    if (ends) return ends;
    await this.waiters.wait(batchId, timeoutMs);
    return this.batches.endsOf(ctx, batchId);
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
