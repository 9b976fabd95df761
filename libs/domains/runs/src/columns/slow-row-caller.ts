import type { CancellationPoll } from '@quarry/durable-work';
import type { ServiceCall, RowInput } from '@quarry/plan-compiler';
import type { PaidLine, PaidLinesPort } from '../ports/paid-lines.port.js';
import type { BudgetGate } from './budget-gate.js';
import {
  CANCELLED_WAIT_MS,
  skippedEnd,
  throwUnlessCancelled,
  type CallEnd,
  type RowEnds,
} from './call-end.js';
import type { Enriching } from './enrich-request.js';

const WAIT_MS = 1000;

/** Calls slow services for one enrichment: the rows of a step are a batch of paid lines, each with its own hold. */
export class SlowRowCaller {
  /** Batches that are being submitted. */
  private readonly submits = new Set<Promise<unknown>>();

  constructor(
    private readonly lines: PaidLinesPort,
    private readonly run: Enriching,
    private readonly watch: CancellationPoll,
    private readonly budgetGate: BudgetGate,
    private readonly fresh: boolean,
  ) {}

  /** @param step its id of the batch; whether the credits were used up before */
  async callRows(
    { service }: ServiceCall,
    inputs: readonly RowInput[],
    { batchId, isSpent: wasSpent }: { batchId: string; isSpent: boolean },
  ): Promise<RowEnds> {
    const known = inputs.flatMap(({ input }) => (input ? [input] : []));
    if (known.length === 0) return { ends: inputs.map(skippedEnd), isSpent: false };
    const { run, fresh } = this;
    const batch = { batchId, service: service.name, inputs: known, runId: run.id, fresh };
    const lines = wasSpent
      ? null
      : await this.budgetGate.readCovered(
          () => this.linesOf(batch),
          (ended) => ended === null,
        );
    if (!lines) return { ends: inputs.map(skippedEnd), isSpent: true };
    const queue = lines.map((line) => line && endOfLine(line));
    const isSpent = lines.some((line) => line !== null && isSpentLine(line));
    return { ends: inputs.map((each) => (each.input ? queue.shift()! : skippedEnd(each))), isSpent };
  }

  /** Waits until no batch is being submitted. */
  async settleSubmits(): Promise<void> {
    await Promise.allSettled(this.submits);
  }

  /** @returns the outcomes, null for a line that a cancel left without one; null for the batch when the balance covers no line */
  private async linesOf(
    batch: Parameters<PaidLinesPort['submitLines']>[1],
  ): Promise<Array<PaidLine | null> | null> {
    const { ctx } = this.run;
    await this.watch.check();
    const submit = this.lines.submitLines(ctx, batch);
    this.submits.add(submit);
    const { kind } = await submit.finally(() => this.submits.delete(submit));
    if (kind === 'spent') return null;
    try {
      for (;;) {
        const lines = await this.lines.findEnded(ctx, batch.batchId, WAIT_MS);
        if (lines) return lines;
        await this.watch.check();
      }
    } catch (error) {
      throwUnlessCancelled(error);
      return this.cancelLines(batch.batchId);
    }
  }

  /** @returns the outcomes of lines that had started and end in time; null for every other line */
  private async cancelLines(batchId: string): Promise<Array<PaidLine | null>> {
    const { ctx } = this.run;
    await this.lines.cancelLines(ctx, batchId);
    const lines =
      (await this.lines.findEnded(ctx, batchId, CANCELLED_WAIT_MS)) ??
      (await this.lines.readEnds(ctx, batchId));
    return lines.map((line) => (line?.state === 'cancelled' ? null : line));
  }
}

/** @returns whether the line was refused because the balance or a spend cap did not cover it */
function isSpentLine(line: PaidLine): boolean {
  return line.state === 'failed' && line.error.code === 'usage_limit';
}

function endOfLine(line: PaidLine): CallEnd {
  const { jobId } = line;
  if (line.state === 'completed') return { state: 'answered', output: line.result, jobId };
  const error =
    line.state === 'failed' ? line.error : { code: 'cancelled', message: 'The lookup was cancelled.' };
  return isSpentLine(line) ? { state: 'skipped', error } : { state: 'failed', error, jobId };
}
