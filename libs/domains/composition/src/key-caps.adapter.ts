import { Injectable } from '@nestjs/common';
import { SpendLimitStore, toMillicredits } from '@quarry/credit-ledger';
import { KeyCapsPort, type KeyCaps } from '@quarry/identity';
import type { Ctx } from '@quarry/app';
import { Database, type TxCtx } from '@quarry/postgres';

/** Stores the spend caps of keys in the ledger. */
@Injectable()
export class KeyCapsAdapter extends KeyCapsPort {
  private readonly limits: SpendLimitStore;

  constructor(database: Database) {
    super();
    this.limits = new SpendLimitStore(database);
  }

  override setCaps(tx: TxCtx, keyId: string, { day, month }: KeyCaps): Promise<void> {
    return this.limits.setLimit(tx, keyId, {
      ...(day === null ? {} : { day: toMillicredits(day) }),
      ...(month === null ? {} : { month: toMillicredits(month) }),
    });
  }

  override async capsOf(ctx: Ctx, keyId: string): Promise<KeyCaps> {
    const { day, month } = await this.limits.readLimit(ctx, keyId);
    return { day: day.cap, month: month.cap };
  }
}
