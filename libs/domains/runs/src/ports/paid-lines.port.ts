import type { Ctx } from '@quarry/app';

/** The end of one paid line. */
export type PaidLine =
  | { jobId: string; state: 'completed'; result: Record<string, unknown> }
  | { jobId: string; state: 'failed'; error: { code: string; message: string } }
  | { jobId: string; state: 'cancelled' };

export type SubmitOutcome = { kind: 'accepted' } | { kind: 'insufficient' };

/** Paid lookups for a run: lines like any other, each with its own hold. They belong to the service-jobs library. */
export abstract class PaidLinesPort {
  /**
   * Accepts a list under a caller-made id.
   * The same id again makes and charges nothing. At most 100 inputs.
   */
  abstract submitLines(
    ctx: Ctx,
    batch: {
      batchId: string;
      service: string;
      inputs: Array<Record<string, unknown>>;
      /** The run or the enrichment that asks. */
      runId: string;
      /** Known answers are not reused. */
      fresh?: boolean;
    },
  ): Promise<SubmitOutcome>;
  /** Waits until every line has ended or `timeoutMs` is over. @returns the ends in the order sent, or null */
  abstract findEnded(ctx: Ctx, batchId: string, timeoutMs: number): Promise<PaidLine[] | null>;
  /** @returns the ends that there are by now, in the order sent; null for a line that has not ended */
  abstract readEnds(ctx: Ctx, batchId: string): Promise<Array<PaidLine | null>>;
  /** Ends the lines of a list that have not started; one that was never accepted, or has ended, is left as it is. */
  abstract cancelLines(ctx: Ctx, batchId: string): Promise<void>;
}
