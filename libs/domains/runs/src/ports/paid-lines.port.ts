import type { Ctx } from '@quarry/app';

/** The end of one paid line. */
export type PaidLine =
  | { jobId: string; state: 'completed'; result: Record<string, unknown> }
  | { jobId: string; state: 'failed'; error: { code: string; message: string } }
  | { jobId: string; state: 'cancelled' };

/** `spent`: the balance or a spend cap covers no line. */
export type SubmitOutcome = { kind: 'accepted' | 'spent' };

/** Paid lookups for a run: ordinary lines, each with its own hold. Implemented by the service-jobs library. */
export abstract class PaidLinesPort {
  /** Submits a batch of at most 100 inputs under a caller-made id. The same id again creates and charges nothing. */
  abstract submitLines(
    ctx: Ctx,
    batch: {
      batchId: string;
      service: string;
      inputs: Array<Record<string, unknown>>;
      /** The run or enrichment that submits the batch. */
      runId: string;
      /** Forces new lookups: known answers are not reused. */
      fresh?: boolean;
    },
  ): Promise<SubmitOutcome>;
  /** Waits until every line has ended, at most `timeoutMs`. @returns the outcomes in the order sent; null after a timeout */
  abstract findEnded(ctx: Ctx, batchId: string, timeoutMs: number): Promise<PaidLine[] | null>;
  /** @returns the outcomes so far, in the order sent; null for a line that has not ended */
  abstract readEnds(ctx: Ctx, batchId: string): Promise<Array<PaidLine | null>>;
  /** Cancels the lines of a batch that have not started. A batch that is unknown or has ended is left unchanged. */
  abstract cancelLines(ctx: Ctx, batchId: string): Promise<void>;
}
