import { Injectable } from '@nestjs/common';
import { LeaseLostError } from '@quarry/durable-work';
import { Database, type TxCtx } from '@quarry/postgres';
import { PaidLinesPort } from '../ports/paid-lines.port.js';
import { TableWriterPort } from '../ports/table-writer.port.js';
import { RunLeaseStore, type LeasedRun, type RunEnd } from '../execution/run-lease.store.js';
import { RunAccount } from '../run-account.js';
import { costText } from './run-publisher.js';

/** Ends runs that stop before their last step: failed, cancelled or without access. */
@Injectable()
export class RunEnding {
  constructor(
    private readonly database: Database,
    private readonly leases: RunLeaseStore,
    private readonly lines: PaidLinesPort,
    private readonly tables: TableWriterPort,
    private readonly account: RunAccount,
  ) {}

  /** Cancels the run's batches, then writes its end, its cells and its charges in one transaction. Does nothing when the lease is lost. */
  async endRun(run: LeasedRun, end: RunEnd): Promise<void> {
    // Before the run ends: if this agent is killed in between, the next one does it again.
    await this.cancelBatches(run);
    await this.database
      .transaction(run.ctx, async (tx) => {
        const cost = await (end.status === 'failed'
          ? this.account.readCharged(tx, run)
          : this.account.sumCharges(run, tx));
        const withCost = cost === 0 ? end : { ...end, message: `${end.message} ${costText(cost)}` };
        if (!(await this.leases.endRun(tx, run, withCost)))
          throw new LeaseLostError('The run belongs to another agent.');
        await this.skipPending(tx, run, end);
        await this.account.settleHold(tx, run, { isCharged: end.status !== 'failed' });
      })
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLostError)) throw error;
      });
  }

  /** Cancels the batches of unfinished steps; lines that have not started are not charged. Does nothing when the lease is lost. */
  private async cancelBatches(run: LeasedRun): Promise<void> {
    if (!(await this.leases.readSignals(run))) return;
    const { batchIds } = await this.leases.findUnfinished(run);
    for (const batchId of batchIds) await this.lines.cancelLines(run.ctx, batchId);
  }

  /** Marks cells that are still pending as skipped, in the transaction that ends the run. Source: docs/contract.md#3-runs */
  private async skipPending(tx: TxCtx, run: LeasedRun, end: RunEnd): Promise<void> {
    const error = end.status === 'failed' ? end.error : { code: 'cancelled', message: end.message };
    const { tableIds } = await this.leases.findUnfinished(run, tx);
    for (const tableId of tableIds) await this.tables.skipPending(tx, tableId, error);
  }
}
