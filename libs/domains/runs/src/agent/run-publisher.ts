import { Injectable } from '@nestjs/common';
import { toCredits } from '@quarry/credit-ledger';
import { formatCount } from '@quarry/service-catalog';
import { LeaseLostError } from '@quarry/durable-work';
import type { OutputContract } from '@quarry/plan';
import { Database, type TxCtx } from '@quarry/postgres';
import { RunFailure } from '../execution/run-failure.error.js';
import { RunLeaseStore, type LeasedRun } from '../execution/run-lease.store.js';
import type { LeftOutRows, PublishedTable } from '../output/listed-rows.js';
import type { OutputSources } from '../output/published-output.js';
import { MonitorItemsPort } from '../ports/monitor-items.port.js';
import { TableFreezerPort, TableReaderPort } from '../ports/table-writer.port.js';
import { RunAccount } from '../run-account.js';
import type { BuiltTable } from './table-builder.js';

/** The most characters of the sentence about the cost. */
export const COST_CHARACTERS_MAX = 60;

/** Says what a run has cost. @param milli thousandths of a credit */
export function costText(milli: number): string {
  return milli === 0 ? 'The run cost nothing.' : `The run cost ${formatCount(toCredits(milli), 'credit')}.`;
}

/** Publishes the tables and the output of a run, and ends it. */
@Injectable()
export class RunPublisher {
  constructor(
    private readonly database: Database,
    private readonly leases: RunLeaseStore,
    private readonly tables: TableReaderPort,
    private readonly freezer: TableFreezerPort,
    private readonly account: RunAccount,
    private readonly monitorItems: MonitorItemsPort,
  ) {}

  /** Freezes every table, validates the output and ends the run, all in one transaction. */
  async publishTables(
    run: LeasedRun,
    contract: OutputContract | null,
    built: BuiltTable[],
    messageOf: OutputSources['messageOf'],
  ): Promise<void> {
    await this.database.transaction(run.ctx, async (tx) => {
      const frozen: PublishedTable[] = [];
      for (const { key, name, tableId, columns } of built) {
        const counts = await this.freezer.freezeTable(tx, { runId: run.id, tableId, key });
        frozen.push({ key, name, tableId, columns, ...counts });
      }
      const cost = costText(await this.account.sumCharges(run, tx));
      const textOf = (leftOut: readonly LeftOutRows[]): string => `${messageOf(leftOut)} ${cost}`.trim();
      const { value: output, leftOut } = contract
        ? await this.publishOutput(tx, run, contract, frozen, textOf)
        : { value: null, leftOut: [] };
      for (const { found } of built) if (found) await this.monitorItems.addItems(tx, run, found);
      const ended = await this.leases.endRun(tx, run, {
        status: 'completed',
        message: textOf(leftOut),
        output,
      });
      if (!ended) throw new LeaseLostError('The run belongs to another agent.');
      await this.account.settleHold(tx, run, { isCharged: true });
    });
  }

  private async publishOutput(
    tx: TxCtx,
    run: LeasedRun,
    contract: OutputContract,
    frozen: PublishedTable[],
    messageOf: OutputSources['messageOf'],
  ): Promise<{ value: unknown; leftOut: LeftOutRows[] }> {
    const rowsOf = async (tableId: string) => {
      const rows: Array<Record<string, unknown>> = [];
      for await (const batch of this.tables.readRows(tx, tableId))
        rows.push(...batch.map((row) => row.values));
      return rows;
    };
    // Only a process that publishes needs the validation of schemas, which takes 2 MB.
    const { publishedOutput } = await import('../output/published-output.js');
    const outcome = await publishedOutput(run.id, contract, frozen, { messageOf, rowsOf });
    if (outcome.kind === 'invalid') throw new RunFailure('agent_invalid_output', outcome.reason);
    return outcome;
  }
}
