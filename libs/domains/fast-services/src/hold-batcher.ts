import type { CreditLedger, HoldOutcome, Millicredits } from '@quarry/credit-ledger';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import { WriteBatcher, type Database, type KeepAnswer } from '@quarry/postgres';

/** Hold of a call, under an id of its own. */
type CallHold = Parameters<CreditLedger['holdFor']>[1];

/** End of an answered call. */
export interface CallEnd<Answer> {
  holdId: string;
  /** Amount of its hold, in thousandths of a credit. */
  held: Millicredits;
  /** Thousandths of a credit; 0 frees the hold. */
  amount: Millicredits;
  /** @param available what the account can spend after it */
  answer: (available: Millicredits) => Answer;
  keep: KeepAnswer<Answer>;
}

interface AccountBatchers<Answer> {
  holds: WriteBatcher<{ ctx: Ctx; hold: CallHold }, HoldOutcome>;
  ends: WriteBatcher<CallEnd<Answer>, Answer>;
  /** Writes under way. */
  open: number;
}

/** Calls of one statement: twice as many as a run has in work at a time are two. */
const GROUP_SIZE = 50;

/**
 * The holds and charges of direct calls. Every call of an organisation locks its account twice, until its commit is on disk:
 * one by one that is some seventy calls a second. So what is in flight together is written together, by account; each call
 * is decided on its own hold, and one that is refused harms no other (docs/performance.md, Bookkeeping).
 */
export class HoldBatcher<Answer> {
  private readonly batchers = new Map<string, AccountBatchers<Answer>>();

  constructor(
    private readonly database: Database,
    private readonly ledger: CreditLedger,
    /** After that a hold is void whose process has died, in milliseconds. */
    private readonly expiresInMs: number,
  ) {}

  /** Sets the price of a call aside, or says that the balance or a cap does not cover it. */
  holdCredits(ctx: Ctx, hold: CallHold): Promise<HoldOutcome> {
    return this.withBatchers(ctx, ({ holds }) => holds.add({ ctx, hold }));
  }

  /**
   * Charges a call and keeps its answer, in one transaction: a charge never stands without its answer, nor the kept answer
   * without its charge.
   * @throws AppError provider_error for a hold that has expired; what `keep` throws
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
    const holds = (items: Array<{ ctx: Ctx; hold: CallHold }>) => this.writeHolds(items);
    // Of one tenant: whose key has called is said by each hold.
    const ends = (ctx: Ctx) => (items: Array<CallEnd<Answer>>) => this.writeEnds(ctx, items);
    const tenant: Ctx = { orgId, mode, keyId: null, requestId: 'hold-batcher', timeoutMs: null };
    return {
      holds: new WriteBatcher(holds, {
        ...ofAccount,
        writeAlone: async (item) => (await holds([item]))[0]!,
      }),
      ends: new WriteBatcher(ends(tenant), {
        ...ofAccount,
        writeAlone: async (item) => (await this.writeEnds(tenant, [item]))[0]!,
      }),
      open: 0,
    };
  }

  private writeHolds(items: ReadonlyArray<{ ctx: Ctx; hold: CallHold }>): Promise<HoldOutcome[]> {
    const holds = items.map(({ ctx: { keyId }, hold }) => ({ ...hold, keyId }));
    return this.ledger.holdAllFor(items[0]!.ctx, holds, this.expiresInMs);
  }

  /**
   * The balance is locked last, so that it is locked for one statement and the commit only: what is left is reckoned from what
   * was read before.
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
      // The hold has expired under a process that stood still: what cannot be charged is not handed out.
      if (outcomes.some(({ kind }) => kind === 'refused'))
        throw new AppError('provider_error', 'The call took too long to be charged.');
      return written;
    });
  }
}
