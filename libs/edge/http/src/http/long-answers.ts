/** Token of the list of {@link LongAnswers} in the module of the application, in the order in which they are closed. */
export const LONG_ANSWERS = Symbol('quarry:long-answers');

/** A part that keeps answers open: held reads, streams, and their sources. */
export interface LongAnswers {
  /** Ends all of them, and keeps no further ones open. */
  close(): void;
}
