import type { CreditLedger, HoldOutcome, Millicredits, NewHold } from '@quarry/credit-ledger';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import { WriteBatcher, type Database, type KeepAnswer } from '@quarry/postgres';

/** End of an answered call. */
export interface CallEnd<Answer> {
  holdId: string;
  /** Amount of its hold, in thousandths of a credit. */
  held: Millicredits;
  /** Thousandths of a credit; 0 frees the hold. */
  amount: Millicredits;
  /** @param available balance that the account can spend afterwards */
  answer: (available: Millicredits) => Answer;
  keep: KeepAnswer<Answer>;
}

interface AccountBatchers<Answer> {
  holds: WriteBatcher<{ ctx: Ctx; hold: NewHold }, HoldOutcome>;
  ends: WriteBatcher<CallEnd<Answer>, Answer>;
  /** Number of writes in progress. */
  open: number;
}

/** Maximum number of calls per statement: the concurrent calls of two runs. */
const GROUP_SIZE = 50;

/**
 * Holds and charges of direct calls. Every call locks the account of its organisation twice, until its commit is on disk:
 * one by one that limits an account to some seventy calls per second. So concurrent calls of an account are written
 * together. Each call is decided by its own hold, and a refused one does not affect others (docs/performance.md,
 * Bookkeeping).
 */
export class HoldBatcher<Answer> {
  private readonly batchers = new Map<string, AccountBatchers<Answer>>();

  constructor(
    private readonly database: Database,
    private readonly ledger: CreditLedger,
    /** Time after which the hold of a crashed process is void, in milliseconds. */
    private readonly expiresInMs: number,
  ) {}

  /** Holds the price of a call. @returns a refusal if the balance or a cap does not cover it */
  holdCredits(ctx: Ctx, hold: NewHold): Promise<HoldOutcome> {
    return this.withBatchers(ctx, ({ holds }) => holds.add({ ctx, hold }));
  }

  /**
   * Charges a call and stores its response, in one transaction: both are committed, or neither.
   * @throws AppError provider_error for an expired hold; errors of `keep`
   */
  settleHold(ctx: Ctx, end: CallEnd<Answer>): Promise<Answer> {
    return this.withBatchers(ctx, ({ ends }) => ends.add(end));
  }

  private async withBatchers<T>(
    ctx: Ctx,
    work: (batchers: AccountBatchers<Answer>) => Promise<T>,
  ): Promise<T> {
    const key = `${ctx.orgId}:${ctx.mode}`;
    const batchers = this.batchers.get(key) ?? this.openBatchers(ctx);
    this.batchers.set(key, batchers);
    batchers.open += 1;
    try {
      return await work(batchers);
    } finally {
      batchers.open -= 1;
      if (batchers.open === 0) this.batchers.delete(key);
    }
  }

  private openBatchers({ orgId, mode }: Ctx): AccountBatchers<Answer> {
    const ofAccount = {
      size: GROUP_SIZE,
      writers: 1,
      ownersOf: (items: unknown[]) => items.map(() => `${orgId}:${mode}`),
    };
    const holds = (items: Array<{ ctx: Ctx; hold: NewHold }>) => this.writeHolds(items);
    // For one tenant; each hold names the key of its call.
    const ends = (ctx: Ctx) => (items: Array<CallEnd<Answer>>) => this.writeEnds(ctx, items);
    const tenant: Ctx = { orgId, mode, keyId: null, requestId: 'hold-batcher', timeoutMs: null };
    return {
      holds: new WriteBatcher(holds, { ...ofAccount, writeAlone: async (item) => (await holds([item]))[0]! }),
      ends: new WriteBatcher(ends(tenant), {
        ...ofAccount,
        writeAlone: async (item) => (await this.writeEnds(tenant, [item]))[0]!,
      }),
      open: 0,
    };
  }

  private writeHolds(items: ReadonlyArray<{ ctx: Ctx; hold: NewHold }>): Promise<HoldOutcome[]> {
    const holds = items.map(({ ctx: { keyId }, hold }) => ({ ...hold, keyId }));
    return this.ledger.holdAllFor(items[0]!.ctx, holds, this.expiresInMs);
  }

  /**
   * Stores the responses and charges the calls. The account is locked last, only for one statement and the commit: the
   * remaining balance is computed from an earlier read.
   */
  private writeEnds(ctx: Ctx, ends: ReadonlyArray<CallEnd<Answer>>): Promise<Answer[]> {
    return this.database.transaction(ctx, async (tx) => {
      let { available } = await this.ledger.readBalance(tx);
      const written: Answer[] = [];
      for (const { held, amount, answer, keep } of ends) {
        available += held - amount;
        const result = answer(available);
        await keep(tx, result);
        written.push(result);
      }
      const outcomes = await this.ledger.resolveAll(tx, ends);
      // The hold has expired because the process was suspended: a result that cannot be charged is not returned.
      if (outcomes.some(({ kind }) => kind === 'refused'))
        throw new AppError('provider_error', 'The call took too long to be charged.');
      return written;
    });
  }
}
