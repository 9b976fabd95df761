import { Injectable } from '@nestjs/common';
import { chargesOfRun, CreditLedger, type Millicredits, type ResolveOutcome } from '@quarry/credit-ledger';
import { LeaseLostError, type StepJournal } from '@quarry/durable-work';
import { newId, type Ctx } from '@quarry/app';
import { Database, type TxCtx } from '@quarry/postgres';
import type { LeasedRun } from '../execution/run-lease.store.js';
import { statement } from '../statements.types.js';

/** Below this no step can be paid that leads to a row: a page that is read, or a call of a model. Source: docs/contract.md#6-go. */
export const ONE_STEP: Millicredits = 1000;
/** Milliseconds that looking for one table may take. Ours: twice the time of the greatest effort of Go. */
const SOURCING_MS = 1_800_000;

/** Credits that are set aside for one table. */
export interface SourcingHold {
  /** Thousandths; 0 where the balance or a cap covers no step. */
  readonly amount: Millicredits;
  /** Why it is nothing; null where it is something. */
  readonly refusal: 'insufficient' | 'capped' | null;
  /** Milliseconds since 1970 at which no further step begins. */
  readonly endsAt: number;
}

/** Returns how the steps of a table that is looked for on the web are named: the hold first, then each by its number. */
export function sourcingSteps(index: number): {
  readonly hold: string;
  /** Why no further step begins. */
  readonly end: string;
  /** The hold of what was used, in place of the first. */
  readonly used: string;
  readonly at: (position: number) => string;
} {
  const name = `table-${index}.web`;
  return {
    hold: `${name}.hold`,
    end: `${name}.end`,
    used: `${name}.used`,
    at: (position) => `${name}.${position}`,
  };
}

/**
 * Pays for looking on the web: the most is set aside before the first step, and what the journal says that the steps have cost is
 * charged in the transaction that ends the run.
 */
@Injectable()
export class SourcingAccount {
  constructor(
    private readonly database: Database,
    private readonly ledger: CreditLedger,
  ) {}

  /**
   * Sets aside the most that a table may cost, or all that the balance and the spend caps leave when that is less. A replay finds what was set aside.
   * @param most thousandths of a credit
   */
  holdCredits(run: LeasedRun, journal: StepJournal, name: string, most: Millicredits): Promise<SourcingHold> {
    return journal.runStep(
      name,
      async () => {
        const { available, underCaps } = await this.ledger.readSpendable(run.ctx);
        const endsAt = Date.now() + SOURCING_MS;
        const within =
          run.creditsMax === null ? most : Math.min(most, await this.leftOf(run, run.creditsMax));
        const isCapped = underCaps < ONE_STEP && available >= ONE_STEP;
        return {
          holdId: newId('hold'),
          amount: Math.min(within, underCaps),
          isCapped: isCapped || within < ONE_STEP,
          endsAt,
        };
      },
      async ({ holdId, amount, isCapped, endsAt }): Promise<SourcingHold> => {
        if (amount < ONE_STEP) return { amount: 0, refusal: isCapped ? 'capped' : 'insufficient', endsAt };
        const hold = { id: holdId, amount, service: 'sourcing', runId: run.id };
        const { kind } = await this.withFence(run, (tx) => this.ledger.holdCredits(tx, hold));
        return kind === 'held'
          ? { amount, refusal: null, endsAt }
          : { amount: 0, refusal: kind === 'capped' ? 'capped' : 'insufficient', endsAt };
      },
    );
  }

  /** Returns what the run's own limit leaves, in thousandths of a credit. */
  private async leftOf(run: LeasedRun, creditsMax: Millicredits): Promise<Millicredits> {
    const charges = await chargesOfRun(this.database, run.ctx, run.id, run.createdAt);
    const charged = charges.reduce((sum, { amount }) => sum + amount, 0);
    return Math.max(0, creditsMax - charged - (await this.findUncharged(run)));
  }

  /** Returns what looking on the web has cost a run and is not charged yet, in thousandths of a credit. */
  async findUncharged(run: LeasedRun, at: Ctx | TxCtx = run.ctx): Promise<Millicredits> {
    if (run.queue !== 'sourcing-runs') return 0;
    const tables = await this.database.query(at, USED, [run.id]);
    return tables.reduce((sum, use) => sum + costOf(use), 0);
  }

  /**
   * Frees what a table did not use of its hold once nothing more is looked for, so that what follows in the run can be paid. A replay
   * changes nothing.
   */
  async keepUsed(
    run: LeasedRun,
    journal: StepJournal,
    names: ReturnType<typeof sourcingSteps>,
  ): Promise<void> {
    await journal.runStep(
      names.used,
      async () => {
        const holds = await this.database.query(run.ctx, USED, [run.id]);
        const { hold_id: held, ...use } = holds.find(({ name }) => name === names.hold)!;
        return { held, holdId: newId('hold'), amount: costOf(use) };
      },
      ({ held, holdId, amount }) =>
        this.withFence(run, async (tx): Promise<{ isKept: boolean }> => {
          const { kind } = await this.ledger.voidHold(tx, held);
          if (kind === 'refused' || amount === 0) return { isKept: false };
          const hold = { id: holdId, amount, service: 'sourcing', runId: run.id };
          const kept = await this.ledger.holdCredits(tx, hold);
          if (kept.kind !== 'held') throw new NotKeptError();
          return { isKept: true };
        }).catch((error: unknown) => {
          // A cap was lowered meanwhile: the first hold stands.
          if (error instanceof NotKeptError) return { isKept: false };
          throw error;
        }),
    );
  }

  /**
   * Does what must not stand once the run belongs to nobody, or to somebody else: its end resolves the holds that it knows.
   * @throws LeaseLostError
   */
  private withFence<Result>(run: LeasedRun, work: (tx: TxCtx) => Promise<Result>): Promise<Result> {
    return this.database.transaction(run.ctx, async (tx) => {
      const owned = await this.database.query(tx, OWNED, [run.id, run.token]);
      if (owned.length === 0) throw new LeaseLostError('The run belongs to another agent.');
      return work(tx);
    });
  }

  /**
   * Charges what was used, or nothing where no page was read, and frees the rest.
   * @param isCharged false for a run that failed
   * @throws LeaseLostError when this was done before: the caller's transaction must not stand
   */
  async settleHold(tx: TxCtx, run: LeasedRun, { isCharged }: { isCharged: boolean }): Promise<void> {
    if (run.queue !== 'sourcing-runs') return;
    for (const { hold_id: first, kept_id: kept, is_kept: isKept, held, ...use } of await this.database.query(
      tx,
      USED,
      [run.id],
    )) {
      const charge = isCharged ? costOf(use) : 0;
      const resolve = (holdId: string): Promise<ResolveOutcome> =>
        charge > 0 ? this.ledger.postHold(tx, holdId, charge) : this.ledger.voidHold(tx, holdId);
      let { kind } = await resolve(kept !== null && isKept !== false ? kept : first);
      // A process began to replace the hold and died before it had done so: the first hold still stands.
      if (kind === 'refused' && kept !== null && isKept === null) ({ kind } = await resolve(first));
      if (kind === 'refused' && held) throw new LeaseLostError('The run has ended elsewhere.');
    }
  }
}

/** The hold of what was used could not be made, so that the first one must stay. */
class NotKeptError extends Error {}

/** @returns thousandths of a credit: nothing where no page was read */
function costOf({ used, pages }: { used: string; pages: number }): Millicredits {
  return pages > 0 ? Number(used) : 0;
}

// Until the transaction is over nobody ends the run or takes it.
const OWNED = statement(
  'sourcing-account.owned',
  "SELECT 1 AS owned FROM runs.runs WHERE id = $1 AND lease_token = $2 AND status = 'running' FOR SHARE",
);

/**
 * Of each hold of a run: whether it is known to stand, what its steps have cost, how many pages they have read, and the hold that
 * takes its place (`is_kept` is null while nobody knows whether it does).
 */
const USED = statement(
  'sourcing-account.used',
  `
  SELECT h.name, h.input ->> 'holdId' AS hold_id, coalesce((h.result ->> 'amount')::bigint > 0, false) AS held,
    min(k.input ->> 'holdId') AS kept_id, bool_and((k.result ->> 'isKept')::boolean) AS is_kept,
    coalesce(sum((s.result ->> 'cost')::bigint), 0)::bigint AS used,
    count(*) FILTER (WHERE s.input ->> 'kind' = 'read' AND (s.result ->> 'cost')::bigint > 0)::int AS pages
  FROM runs.steps h
  LEFT JOIN runs.steps k ON k.run_id = h.run_id AND k.name = left(h.name, -4) || 'used'
  LEFT JOIN runs.steps s ON s.run_id = h.run_id AND s.name <> h.name AND starts_with(s.name, left(h.name, -4))
  WHERE h.run_id = $1 AND h.name ~ '^table-[0-9]+[.]web[.]hold$'
  GROUP BY h.run_id, h.name, h.input, h.result`,
).rows<{
  hold_id: string;
  held: boolean;
  kept_id: string | null;
  is_kept: boolean | null;
  used: string;
  pages: number;
}>();
