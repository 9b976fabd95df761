import { Injectable } from '@nestjs/common';
import type { TxCtx } from '@quarry/postgres';
import { PaidLinesPort } from '../ports/paid-lines.port.js';
import { TableWriterPort } from '../ports/table-writer.port.js';
import { RunLeaseStore, type LeasedRun, type RunEnd } from '../execution/run-lease.store.js';

/** Cleans up after a run that ends early: cancels its batches and marks cells that wait for them. */
@Injectable()
export class RunCleanup {
  constructor(
    private readonly leases: RunLeaseStore,
    private readonly lines: PaidLinesPort,
    private readonly tables: TableWriterPort,
  ) {}

  /** Cancels the batches of unfinished steps; lines that have not started are not charged. Does nothing when the lease is lost. */
  async cancelBatches(run: LeasedRun): Promise<void> {
    if (!(await this.leases.readSignals(run))) return;
    const { batchIds } = await this.leases.findUnfinished(run);
    for (const batchId of batchIds) await this.lines.cancelLines(run.ctx, batchId);
  }

  /** Marks cells that are still pending as skipped, in the transaction that ends the run. Source: docs/contract.md#3-runs */
  async skipPending(tx: TxCtx, run: LeasedRun, end: RunEnd): Promise<void> {
    const error = end.status === 'failed' ? end.error : { code: 'cancelled', message: end.message };
    const { tableIds } = await this.leases.findUnfinished(run, tx);
    for (const tableId of tableIds) await this.tables.skipPending(tx, tableId, error);
  }
}
