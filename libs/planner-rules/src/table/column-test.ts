import type { ColumnTest as Test } from '@quarry/plan';

/** What is asked of the cells of a column. */
export interface ColumnTest {
  readonly test: Test;
  /** The assumption behind the reading, when it has one. */
  readonly note?: string;
}
