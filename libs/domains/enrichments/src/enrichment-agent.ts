import { Inject, Injectable, Optional } from '@nestjs/common';
import type { RunReady } from '@quarry/dto';
import {
  AccessRevokedError,
  LeaseLostError,
  WorkCancelledError,
  WorkHandedBackError,
  WorkHandler,
  type TurnEnd,
} from '@quarry/durable-work';
import { AppError } from '@quarry/error-codes';
import { isId, LOGGER, type Logger } from '@quarry/app';
import { Database, isDatabaseUnavailable } from '@quarry/postgres';
import {
  ColumnEnricher,
  guardRun,
  KeyAccessPort,
  PaidLinesPort,
  RunFailure,
  WorkspacePort,
  type RunGuard,
} from '@quarry/runs';
import { EnrichableRowsPort } from './enrichable-rows.port.js';
import { ENRICHMENTS, EnrichmentLeaseStore, type LeasedEnrichment } from './enrichment-lease.store.js';
import { EnrichmentWaiters } from './enrichment-waiters.js';
import { rowsToEnrich } from './rows-to-enrich.js';

/** Number of rows whose values are in memory at a time. */
const ROWS_AT_ONCE = 500;

const CANCELLED = { code: 'cancelled', message: 'The enrichment ended before this row.' } as const;

/** Processes enrichments: takes the lease, fills the columns like those of a run, records the end. */
@Injectable()
export class EnrichmentAgent extends WorkHandler<RunReady> {
  constructor(
    private readonly database: Database,
    private readonly leases: EnrichmentLeaseStore,
    private readonly enricher: ColumnEnricher,
    private readonly tables: EnrichableRowsPort,
    private readonly lines: PaidLinesPort,
    private readonly workspaces: WorkspacePort,
    private readonly keys: KeyAccessPort,
    @Inject(LOGGER) logger: Logger,
    /** Held reads of this process, which need not wait for their next query. */
    @Optional() private readonly waiters?: EnrichmentWaiters,
  ) {
    super(ENRICHMENTS, logger);
  }

  override acceptsWork({ runId }: RunReady): boolean {
    return isId('enr', runId);
  }

  async takeDue(): Promise<RunReady[]> {
    return (await this.leases.takeSilent()).map((runId) => ({ runId }));
  }

  protected async performWork({ runId }: RunReady): Promise<TurnEnd> {
    const leased = await this.leases.claimEnrichment(runId);
    if (!leased) return 'idle';
    const guard = guardRun(
      this.leases,
      leased,
      { workspaces: this.workspaces, keys: this.keys },
      this.stopping,
    );
    try {
      await guard.checkpoint();
      await this.fillColumns(leased, guard);
      await this.endEnrichment(leased, 'completed');
    } catch (error) {
      await this.endBy(leased, error instanceof AppError ? await guard.findCause(error) : error);
    } finally {
      guard.close();
    }
    void this.waiters?.checkEnds();
    return 'idle';
  }

  private async fillColumns(leased: LeasedEnrichment, guard: RunGuard): Promise<void> {
    const { ctx, tableId, rowIds, callScope, isFresh } = leased;
    const { columns } = await this.tables.getTable(ctx, tableId);
    const journal = this.leases.journalOf(leased);
    for (let first = 0; first < rowIds.length; first += ROWS_AT_ONCE) {
      const rows = await this.tables.readRows(ctx, tableId, rowIds.slice(first, first + ROWS_AT_ONCE));
      await this.enricher.enrichColumns(leased, journal, guard, {
        name: `rows-${first}`,
        tableId,
        columns: leased.columns,
        callScope,
        isFresh,
        rows: rowsToEnrich(columns, leased.columns, rows),
      });
    }
  }

  private async endBy(leased: LeasedEnrichment, error: unknown): Promise<void> {
    if (error instanceof LeaseLostError) return;
    if (error instanceof WorkHandedBackError) return this.leases.releaseEnrichment(leased);
    if (isDatabaseUnavailable(error)) throw error;
    const isExpected = [WorkCancelledError, AccessRevokedError, RunFailure].some(
      (kind) => error instanceof kind,
    );
    if (!isExpected)
      this.logger.error(
        { err: error, enrichmentId: leased.id },
        'an enrichment ended with an unexpected error',
      );
    // Before the enrichment ends: if this agent is killed in between, the next one does it again.
    for (const list of await this.leases.openLists(leased)) await this.lines.cancelLines(leased.ctx, list);
    await this.endEnrichment(leased, 'cancelled');
  }

  private async endEnrichment(leased: LeasedEnrichment, status: 'completed' | 'cancelled'): Promise<void> {
    const { ctx, tableId, rowIds, columns } = leased;
    const keys = columns.map(({ key }) => key);
    await this.database
      .transaction(ctx, async (tx) => {
        if (!(await this.leases.endEnrichment(tx, leased, status)))
          throw new LeaseLostError('The enrichment belongs to another agent.');
        await this.tables.skipPending(tx, tableId, { keys, rowIds, error: CANCELLED });
      })
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLostError)) throw error;
      });
  }
}
