import { Injectable } from '@nestjs/common';
import { chargesOfRun, CreditLedger, type Millicredits } from '@quarry/credit-ledger';
import { LeaseLostError, type StepJournal } from '@quarry/durable-work';
import { newId, type Ctx } from '@quarry/app';
import { Database, type TxCtx } from '@quarry/postgres';
import type { LeasedRun } from './execution/run-lease.store.js';
import { statement } from './statements.types.js';

/** Price of the cheapest step that can lead to a row: reading a page, or asking a model. Source: docs/contract.md#6-go. */
export const ONE_STEP: Millicredits = 1000;
/** Milliseconds that sourcing one table may take. Our decision: twice the time of Go's greatest effort. */
const SOURCING_MS = 1_800_000;

/** Credits reserved for one table. */
export interface SourcingHold {
  /** Thousandths of a credit; 0 when the balance or a cap covers no step. */
  readonly amount: Millicredits;
  /** Reason why nothing was reserved; null when something was. */
  readonly refusal: 'insufficient' | 'capped' | null;
  /** Unix time in milliseconds after which no step begins. */
  readonly endsAt: number;
}

/** Returns the step names of a table that is sourced from the web. */
export function sourcingSteps(index: number) {
  const prefix = `table-${index}.web.`;
  return {
    prefix,
    hold: `${prefix}hold`,
    /** Records why no further step begins. */
    end: `${prefix}end`,
    /** The hold that replaces the first one, with the amount actually used. */
    used: `${prefix}used`,
    at: (position: number) => `${prefix}${position}`,
  };
}

/**
 * Reads what runs have cost, and pays for sourcing from the web: reserves the maximum before the first step, and charges the
 * journaled cost in the transaction that ends the run.
 */
@Injectable()
export class RunAccount {
  constructor(
    private readonly database: Database,
    private readonly ledger: CreditLedger,
  ) {}

  /**
   * Reserves the most that a table may cost, or as much of it as balance and spend caps allow. A replay finds the same hold.
   * @param most thousandths of a credit
   */
  holdCredits(
    run: LeasedRun,
    journal: StepJournal,
    names: ReturnType<typeof sourcingSteps>,
    most: Millicredits,
  ): Promise<SourcingHold> {
    return journal.runStep(
      names.hold,
      async () => {
        const { available, underCaps } = await this.ledger.readSpendable(run.ctx);
        const endsAt = Date.now() + SOURCING_MS;
        const { creditsMax } = run;
        const left = creditsMax === null ? most : Math.max(0, creditsMax - (await this.sumCharges(run)));
        const within = Math.min(most, left);
        const isCapped = underCaps < ONE_STEP && available >= ONE_STEP;
        return {
          holdId: newId('hold'),
          paysFor: names.prefix,
          amount: Math.min(within, underCaps),
          isCapped: isCapped || within < ONE_STEP,
          endsAt,
        };
      },
      async ({ holdId, amount, isCapped, endsAt }): Promise<SourcingHold> => {
        if (amount < ONE_STEP) return { amount: 0, refusal: isCapped ? 'capped' : 'insufficient', endsAt };
        const hold = { id: holdId, amount, service: 'sourcing', runId: run.id };
        const { kind } = await this.database.transaction(run.ctx, async (tx) => {
          await this.requireLease(tx, run);
          return this.ledger.holdCredits(tx, hold);
        });
        return kind === 'held'
          ? { amount, refusal: null, endsAt }
          : { amount: 0, refusal: kind === 'capped' ? 'capped' : 'insufficient', endsAt };
      },
    );
  }

  /**
   * Returns the cost of a run so far, in thousandths of a credit: the ledger's charges plus the web steps that are not charged
   * yet.
   * @param at the transaction that ends the run, before it settles, if there is one
   */
  async sumCharges(run: LeasedRun, at: Ctx | TxCtx = run.ctx): Promise<Millicredits> {
    return (await this.readCharged(at, run)) + (await this.findUncharged(run, at));
  }

  /** Returns the ledger's charges of a run, in thousandths of a credit. */
  async readCharged(
    ctx: Ctx | TxCtx,
    { id, createdAt }: Pick<LeasedRun, 'id' | 'createdAt'>,
  ): Promise<Millicredits> {
    const charges = await chargesOfRun(this.database, ctx, id, createdAt);
    return charges.reduce((sum, { amount }) => sum + amount, 0);
  }

  /** Returns the cost of web steps that is not charged yet, in thousandths of a credit. */
  private async findUncharged(run: LeasedRun, at: Ctx | TxCtx): Promise<Millicredits> {
    if (run.queue !== 'sourcing-runs') return 0;
    const tables = await this.database.query(at, USED, [run.id]);
    return tables.reduce((sum, use) => sum + costOf(use), 0);
  }

  /**
   * Releases the unused part of a table's hold when its sourcing has ended, so that later steps of the run can be paid.
   * Idempotent.
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
      async ({ held, holdId, amount }) => {
        const kept = await this.database.tryTransaction(run.ctx, async (tx) => {
          await this.requireLease(tx, run);
          const { kind } = await this.ledger.voidHold(tx, held);
          if (kind === 'refused' || amount === 0) return { isKept: false };
          const hold = { id: holdId, amount, service: 'sourcing', runId: run.id };
          const made = await this.ledger.holdCredits(tx, hold);
          // When a cap was lowered meanwhile, the first hold stays.
          return made.kind === 'held' ? { isKept: true } : null;
        });
        return kept ?? { isKept: false };
      },
    );
  }

  /**
   * Keeps the lease of a run until the transaction ends: the end of the run resolves only the holds that it knows.
   * @throws LeaseLostError
   */
  private async requireLease(tx: TxCtx, run: LeasedRun): Promise<void> {
    const owned = await this.database.query(tx, OWNED, [run.id, run.token]);
    if (owned.length === 0) throw new LeaseLostError('The run belongs to another agent.');
  }

  /**
   * Charges what was used, or nothing when no page was read, and releases the rest.
   * @param isCharged false for a failed run
   * @throws LeaseLostError when it was settled before: the caller's transaction must roll back
   */
  async settleHold(tx: TxCtx, run: LeasedRun, { isCharged }: { isCharged: boolean }): Promise<void> {
    if (run.queue !== 'sourcing-runs') return;
    for (const use of await this.database.query(tx, USED, [run.id])) {
      const isResolved = await this.resolveFirst(tx, holdsOf(use), isCharged ? costOf(use) : 0);
      if (!isResolved && use.held) throw new LeaseLostError('The run has ended elsewhere.');
    }
  }

  /** Charges the first hold that is still open, or releases it. @returns false when none is open */
  private async resolveFirst(tx: TxCtx, holdIds: readonly string[], charge: Millicredits): Promise<boolean> {
    for (const id of holdIds) {
      const { kind } = await (charge > 0
        ? this.ledger.postHold(tx, id, charge)
        : this.ledger.voidHold(tx, id));
      if (kind !== 'refused') return true;
    }
    return false;
  }
}

/** @returns the holds of a table of which one is open, in the order in which to try them */
function holdsOf({
  hold_id: first,
  kept_id: kept,
  is_kept: isKept,
}: (typeof USED)['types']['row']): string[] {
  if (kept === null || isKept === false) return [first];
  // A process may have died between journaling the new hold and replacing the first one, which is then still open.
  return isKept ? [kept] : [kept, first];
}

/** @returns thousandths of a credit; nothing when no page was read */
function costOf({ used, pages }: { used: string; pages: number }): Millicredits {
  return pages > 0 ? Number(used) : 0;
}

// The lock keeps others from ending or claiming the run until the transaction ends.
const OWNED = statement(
  'run-account.owned',
  "SELECT 1 AS owned FROM runs.runs WHERE id = $1 AND lease_token = $2 AND status = 'running' FOR SHARE",
);

/**
 * Of each hold of a run: whether it was made, the cost of the steps that it pays for, the number of pages read, and the hold that
 * replaces it (`is_kept` is null while it is unknown whether that was made). A hold that was journaled before `paysFor` pays for
 * the steps of its own prefix.
 */
const USED = statement(
  'run-account.used',
  `
  SELECT h.name, h.input ->> 'holdId' AS hold_id, coalesce((h.result ->> 'amount')::bigint > 0, false) AS held,
    min(k.input ->> 'holdId') AS kept_id, bool_and((k.result ->> 'isKept')::boolean) AS is_kept,
    coalesce(sum((s.result ->> 'cost')::bigint), 0)::bigint AS used,
    count(*) FILTER (WHERE s.input ->> 'kind' = 'read' AND (s.result ->> 'cost')::bigint > 0)::int AS pages
  FROM runs.steps h
  LEFT JOIN runs.steps k ON k.run_id = h.run_id AND k.input ->> 'held' = h.input ->> 'holdId'
  LEFT JOIN runs.steps s ON s.run_id = h.run_id AND s.name <> h.name
    AND starts_with(s.name, coalesce(h.input ->> 'paysFor', left(h.name, -4)))
  WHERE h.run_id = $1 AND (h.input ? 'paysFor' OR h.name LIKE 'table-%.web.hold')
  GROUP BY h.run_id, h.name, h.input, h.result`,
).rows<{
  hold_id: string;
  held: boolean;
  kept_id: string | null;
  is_kept: boolean | null;
  used: string;
  pages: number;
}>();
