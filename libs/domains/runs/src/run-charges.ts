import { Injectable } from '@nestjs/common';
import { chargesOfRun, type Millicredits } from '@quarry/credit-ledger';
import type { Ctx } from '@quarry/app';
import { Database, type TxCtx } from '@quarry/postgres';
import type { LeasedRun } from './execution/run-lease.store.js';
import { SourcingAccount } from './sourcing/sourcing-account.js';

/** Reads what runs have cost. */
@Injectable()
export class RunCharges {
  constructor(
    private readonly database: Database,
    private readonly account: SourcingAccount,
  ) {}

  /**
   * Returns the cost of a run so far, in thousandths of a credit: the ledger's charges plus the web steps that are not charged
   * yet.
   * @param at the transaction that ends the run, before it settles, if there is one
   */
  async sumCharges(run: LeasedRun, at: Ctx | TxCtx = run.ctx): Promise<Millicredits> {
    return (await this.readCharged(at, run)) + (await this.account.findUncharged(run, at));
  }

  /** Returns the ledger's charges of a run, in thousandths of a credit. */
  async readCharged(
    ctx: Ctx | TxCtx,
    { id, createdAt }: Pick<LeasedRun, 'id' | 'createdAt'>,
  ): Promise<Millicredits> {
    const charges = await chargesOfRun(this.database, ctx, id, createdAt);
    return charges.reduce((sum, { amount }) => sum + amount, 0);
  }
}
