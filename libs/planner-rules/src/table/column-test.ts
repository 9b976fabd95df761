import type { PredicateTest } from '../../selection/predicate.js';

/** What is asked of the cells of a column, and its words for messages. */
export interface ColumnTest {
  readonly test: PredicateTest;
  readonly text: string;
  /** The assumption behind the reading, when it has one. */
  readonly note?: string;
}
