import type { PlanColumn } from '@quarry/plan';
import type { Subject } from '@quarry/plan-compiler';
import type { LeasedRun } from '../execution/run-lease.store.js';
import type { RunBudget } from './run-budget.js';

/** A row and the evidence about it, which may go beyond its columns. */
export interface RowToEnrich {
  id: string;
  subject: Subject | null;
  /** By the key of an attribute or column. */
  evidence: Readonly<Record<string, unknown>>;
  /** Keys of columns that an earlier run filled, or searched without a result: they are not looked up again. */
  settled?: readonly string[];
  /** Existing values by column key. They are kept unless the request is fresh. */
  held?: Readonly<Record<string, unknown>>;
}

export interface EnrichRequest {
  /** Prefix of the names of its steps. */
  name: string;
  tableId: string;
  columns: readonly PlanColumn[];
  rows: readonly RowToEnrich[];
  /** Direct calls with equal scope and input are one call. Defaults to the scope of the run. */
  callScope?: string;
  /** Looks every row up again and replaces existing values when the call gives an answer. */
  isFresh?: boolean;
  /** The rest of the run's limit; no limit when left out. */
  budget?: RunBudget | null;
}

/** The run or enrichment on whose behalf columns are filled. */
export type Enriching = Pick<LeasedRun, 'id' | 'ctx'>;
