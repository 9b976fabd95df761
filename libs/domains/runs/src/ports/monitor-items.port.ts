import type { Ctx } from '@quarry/app';
import type { RunPlan } from '@quarry/plan';
import type { TxCtx } from '@quarry/postgres';
import type { SourcedRow } from './sourced-row.js';

/** A run and its monitor; null for a run that a client requested. */
export interface MonitoredRun {
  readonly id: string;
  readonly ctx: Ctx;
  readonly monitorId: string | null;
}

/** A row as a monitor recognises it. Both values reveal nothing without the key of the monitor. */
export interface SeenRow {
  readonly identity: string;
  /** Hash of its watched values; null for a monitor that watches no column. */
  readonly watched: string | null;
}

/** A row that a monitor reports, because it is new or its watched values have changed. */
export interface FoundItem extends SeenRow {
  readonly tableId: string;
  readonly rowId: string;
  readonly isUpdated: boolean;
}

/** Items of a run, and the number of known rows that were left out. */
export interface FoundItems {
  readonly items: readonly FoundItem[];
  readonly known: number;
}

/** Items that a monitor knows, as one of its runs reads them. */
export interface MonitorMemory {
  /** True for a first run, which stores what exists and pays for nothing. */
  readonly isSilent: boolean;
  /** Returns the identity of a row and the hash of its watched values. */
  seenOf(plan: RunPlan, row: SourcedRow): SeenRow;
  /** Returns the known identities among the rows, each with whether its watched values differ from the stored ones. */
  findKnown(rows: readonly SeenRow[]): Promise<Map<string, { hasChanged: boolean }>>;
}

/** Access to the items of monitors. Implemented by the monitors library. */
export abstract class MonitorItemsPort {
  /**
   * @returns the items of the run's monitor; null for a run without a monitor
   * @throws RunFailure when the monitor was deleted: otherwise every row would be reported as new
   */
  abstract openMemory(run: MonitoredRun): Promise<MonitorMemory | null>;
  /** Stores the items of a run in the transaction that ends it, so that a failed run reports nothing. */
  abstract addItems(tx: TxCtx, run: Pick<MonitoredRun, 'id' | 'monitorId'>, found: FoundItems): Promise<void>;
}
