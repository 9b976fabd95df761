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

/** A row that a monitor has not known before. */
export interface NewItem {
  readonly tableId: string;
  readonly rowId: string;
  readonly identity: string;
}

/** New items of a run, and the number of rows that its monitor knew. */
export interface FoundItems {
  readonly items: readonly NewItem[];
  readonly known: number;
}

/** Items that a monitor knows, for one of its runs. */
export interface MonitorMemory {
  /** The run keeps what is there, and pays for nothing. */
  readonly isSilent: boolean;
  /** Returns the identity of a row, which says nothing without the key of the monitor. */
  identityOf(plan: RunPlan, row: SourcedRow): string;
  /** Returns which of some identities the monitor knows. */
  findKnown(identities: readonly string[]): Promise<Set<string>>;
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
