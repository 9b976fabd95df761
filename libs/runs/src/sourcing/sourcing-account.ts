import { Injectable } from '@nestjs/common';
import { CreditLedger, type Millicredits } from '@quarry/credit-ledger';
import { Database, newId, type TxCtx } from '@quarry/platform';
import type { LeasedRun } from '../agent/run-lease.store.js';
import { LeaseLostError, type StepJournal } from '../agent/step-journal.js';
import { statement } from '../statements.types.js';

/** Below this no step can be paid that leads to a row: a page that is read, or a call of a model. Source: contract decisions, section 6. */
export const ONE_STEP: Millicredits = 1000;
/** How long one table may be looked for. Ours: twice the time of the greatest effort of Go. */
const SOURCING_MS = 1_800_000;

/** What is set aside for one table. */
export interface SourcingHold {
  /** Thousandths; 0 where the balance or a cap covers no step. */
  readonly amount: Millicredits;
  /** Why it is nothing; null where it is something. */
  readonly refusal: 'insufficient' | 'capped' | null;
  /** Milliseconds since 1970 at which no further step begins. */
  readonly endsAt: number;
}

/** How the steps of a table that is looked for on the web are named: the hold first, then each by its number. */
export function sourcingSteps(index: number): {
  readonly hold: string;
  /** Why no further step begins. */
  readonly end: string;
  readonly at: (position: number) => string;
} {
  const name = `table-${index}.web`;
  return { hold: `${name}.hold`, end: `${name}.end`, at: (position) => `${name}.${position}` };
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
   * Sets aside the most that a table may cost, or all that there is when that is less. A replay finds what was set aside.
   * @param most thousandths of a credit
   */
  hold(run: LeasedRun, journal: StepJournal, name: string, most: Millicredits): Promise<SourcingHold> {
    return journal.step(
      name,
      async () => {
        const { available } = await this.ledger.balance(run.ctx);
        const endsAt = Date.now() + SOURCING_MS;
        return { holdId: newId('hold'), amount: Math.min(most, available), endsAt };
      },
      async ({ holdId, amount, endsAt }): Promise<SourcingHold> => {
        if (amount < ONE_STEP) return { amount: 0, refusal: 'insufficient', endsAt };
        const hold = { id: holdId, amount, service: 'sourcing', runId: run.id };
        const { kind } = await this.ledger.hold(run.ctx, hold);
        return kind === 'held'
          ? { amount, refusal: null, endsAt }
          : { amount: 0, refusal: kind === 'capped' ? 'capped' : 'insufficient', endsAt };
      },
    );
  }

  /**
   * Charges what was used, or nothing where no page was read, and frees the rest.
   * @param isCharged false for a run that failed
   * @throws LeaseLostError when this was done before: the caller's transaction must not stand
   */
  async settle(tx: TxCtx, run: LeasedRun, { isCharged }: { isCharged: boolean }): Promise<void> {
    if (run.queue !== 'sourcing-runs') return;
    for (const { hold_id: holdId, held, used, pages } of await this.database.query(tx, USED, [run.id])) {
      const charge = isCharged && pages > 0 ? Number(used) : 0;
      const { kind } =
        charge > 0 ? await this.ledger.post(tx, holdId, charge) : await this.ledger.void(tx, holdId);
      if (kind === 'refused' && held) throw new LeaseLostError('The run has ended elsewhere.');
    }
  }
}

/** Of each hold of a run: whether it is known to stand, what its steps have cost, and how many pages they have read. */
const USED = statement(
  'sourcing-account.used',
  `
  SELECT h.input ->> 'holdId' AS hold_id, coalesce((h.result ->> 'amount')::bigint > 0, false) AS held,
    coalesce(sum((s.result ->> 'cost')::bigint), 0)::bigint AS used,
    count(*) FILTER (WHERE s.input ->> 'kind' = 'read' AND (s.result ->> 'cost')::bigint > 0)::int AS pages
  FROM runs.steps h
  LEFT JOIN runs.steps s ON s.run_id = h.run_id AND s.name <> h.name AND starts_with(s.name, left(h.name, -4))
  WHERE h.run_id = $1 AND h.name ~ '^table-[0-9]+[.]web[.]hold$'
  GROUP BY h.run_id, h.name, h.input, h.result`,
).rows<{ hold_id: string; held: boolean; used: string; pages: number }>();
