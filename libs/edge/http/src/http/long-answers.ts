/** Name of the list of {@link LongAnswers} in the module of the application, in the order in which they are closed. */
export const LONG_ANSWERS = Symbol('quarry:long-answers');

/** A part that keeps answers open: held reads, streams, and what feeds them. */
export interface LongAnswers {
  /** Ends every one of them, and keeps none open from now on. */
  close(): void;
}
