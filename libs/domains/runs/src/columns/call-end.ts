import { WorkCancelledError } from '@quarry/durable-work';
import type { RowInput } from '@quarry/plan-compiler';
import { SHORTFALLS } from './credit-shortfall.js';

/** Outcome of the call for one row. */
export type CallEnd =
  | { state: 'answered'; output: Readonly<Record<string, unknown>>; jobId: string | null }
  | { state: 'failed'; error: { code: string; message: string }; jobId: string | null }
  /** No call was made. */
  | { state: 'skipped'; error: { code: string; message: string } };

/** Outcomes of the calls of a step; null for a row whose call was still open when the work was cancelled. */
export interface RowEnds {
  ends: Array<CallEnd | null>;
  /** The balance or a spend cap did not cover every row. */
  isSpent: boolean;
}

/** Milliseconds that cancelled work waits for calls that have started: these are charged anyway. */
export const CANCELLED_WAIT_MS = 4000;

/** Returns the outcome of a row for which no call was made: it has no input, or no credits were left. */
export function skippedEnd({ missing }: RowInput): CallEnd {
  return { state: 'skipped', error: missing ?? SHORTFALLS.isSpent.error };
}

/** @throws every error but a cancellation, after which paid results are still written */
export function throwUnlessCancelled(error: unknown): void {
  if (!(error instanceof WorkCancelledError)) throw error;
}
