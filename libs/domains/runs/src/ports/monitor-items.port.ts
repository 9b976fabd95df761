import type { Ctx } from '@quarry/app';
import type { RunPlan } from '@quarry/plan';
import type { TxCtx } from '@quarry/postgres';
import type { SourcedRow } from '../rows/sourced-row.js';

/** A run, and the monitor whose date it is for; null for a run that somebody has asked for. */
export interface MonitoredRun {
  readonly id: string;
  readonly ctx: Ctx;
  readonly monitorId: string | null;
}

/** A row as a monitor knows it again; neither says anything without the key of the monitor. */
export interface SeenRow {
  readonly identity: string;
  /** A hash of its watched values; null for a monitor that watches no column. */
  readonly watched: string | null;
}

/** A row that a monitor reports: it was not known before, or its watched values have changed. */
export interface FoundItem extends SeenRow {
  readonly tableId: string;
  readonly rowId: string;
  readonly isUpdated: boolean;
}

/** Items of a run, and the number of rows that its monitor knew and left out. */
export interface FoundItems {
  readonly items: readonly FoundItem[];
  readonly known: number;
}

/** Items that a monitor knows, for one of its runs. */
export interface MonitorMemory {
  /** The run keeps what is there, and pays for nothing. */
  readonly isSilent: boolean;
  /** Returns by what a row is known again. */
  seenOf(plan: RunPlan, row: SourcedRow): SeenRow;
  /** Returns the identities that the monitor knows, each with whether other values are watched now than it keeps. */
  findKnown(rows: readonly SeenRow[]): Promise<Map<string, { hasChanged: boolean }>>;
}

/** Access of runs to what their monitors know, which belongs to the monitors library. */
export abstract class MonitorItemsPort {
  /**
   * @returns what the monitor of a run knows; null for a run without one
   * @throws RunFailure where the monitor is gone: without it everything would be new
   */
  abstract openMemory(run: MonitoredRun): Promise<MonitorMemory | null>;
  /** Keeps what a run has found, in the transaction of its end: a run that fails has reported nothing. */
  abstract addItems(tx: TxCtx, run: Pick<MonitoredRun, 'id' | 'monitorId'>, found: FoundItems): Promise<void>;
}
