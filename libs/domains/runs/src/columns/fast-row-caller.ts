import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceCall, RowInput } from '@quarry/plan-compiler';
import pLimit from 'p-limit';
import type { BudgetGate } from './budget-gate.js';
import {
  CANCELLED_WAIT_MS,
  skippedEnd,
  throwUnlessCancelled,
  type CallEnd,
  type RowEnds,
} from './call-end.js';
import type { DirectCaller } from './direct-caller.js';

/** Concurrent calls of fast services per run: 240 answers a second from a provider that takes 100 ms. */
const CALLS_AT_ONCE = 24;

/** Calls fast services for one enrichment: each row of a step is a direct call. */
export class FastRowCaller {
  private readonly limitCalls = pLimit(CALLS_AT_ONCE);

  /** @param spent keys of calls whose credits are used up, which this adds to */
  constructor(
    private readonly caller: DirectCaller,
    private readonly budgetGate: BudgetGate,
    private readonly spent: Set<string>,
  ) {}

  /**
   * @param step the position of each row in the table; whether the credits were used up before; whether an earlier agent has not
   *   begun it
   */
  async callRows(
    call: ServiceCall,
    inputs: readonly RowInput[],
    { places, isSpent: wasSpent, isNew }: { places: readonly number[]; isSpent: boolean; isNew: boolean },
  ): Promise<RowEnds> {
    let isSpent = wasSpent;
    const ended = inputs.map((): CallEnd | null => null);
    const ends = inputs.map(async (each, i): Promise<CallEnd> => {
      const { input } = each;
      if (!input) return skippedEnd(each);
      return this.limitCalls(async () => {
        // Which rows an earlier agent has sent is unknown: all are sent again under the same keys.
        if (wasSpent || (isNew && this.spent.has(call.key))) return skippedEnd(each);
        const outcome = await this.budgetGate.readCovered(
          () => this.caller.callService(call.service.name, input, places[i]!),
          ({ kind }) => kind === 'spent',
        );
        if (outcome.kind === 'answered') return { state: 'answered', output: outcome.output, jobId: null };
        if (outcome.kind !== 'spent') return { state: 'failed', error: outcome.error, jobId: null };
        this.spent.add(call.key);
        isSpent = true;
        return { state: 'skipped', error: outcome.error };
      });
    });
    const noted = ends.map(async (end, i) => (ended[i] = await end));
    await Promise.all(noted).catch(async (error: unknown) => {
      throwUnlessCancelled(error);
      await Promise.race([Promise.allSettled(noted), delay(CANCELLED_WAIT_MS, undefined, { ref: false })]);
    });
    return { ends: [...ended], isSpent: isSpent || this.spent.has(call.key) };
  }

  /** Drops the calls that have not started. */
  clearQueue(): void {
    this.limitCalls.clearQueue();
  }
}
