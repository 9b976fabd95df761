import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Database, isDatabaseUnavailable, LOGGER, PeriodicTask, type Logger } from '@quarry/platform';
import { ColumnEnricher } from '../agent/column-enricher.js';
import { subjectOfRow } from '../agent/row-subject.js';
import {
  RunAccessRevokedError,
  RunCancelledError,
  RunGuard,
  RunHandedBackError,
} from '../agent/run-guard.js';
import { LeaseLostError, type StepJournal } from '../agent/step-journal.js';
import { EnrichableRowsPort } from '../ports/enrichable-rows.port.js';
import { KeyAccessPort } from '../ports/key-access.port.js';
import { PaidLinesPort } from '../ports/paid-lines.port.js';
import { WorkspacePort } from '../ports/workspace.port.js';
import { EnrichmentLeaseStore, type LeasedEnrichment } from './enrichment-lease.store.js';

/** Rows whose values are in memory at a time. */
const ROWS_AT_ONCE = 500;
const REAP_MS = 3000;

const CANCELLED = { code: 'cancelled', message: 'The enrichment ended before this row.' } as const;

/** Works on enrichments: takes the lease, fills the columns as those of a run are filled, writes the end. */
@Injectable()
export class EnrichmentAgent implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly inFlight = new Set<Promise<void>>();
  private readonly reaper: PeriodicTask;

  constructor(
    private readonly database: Database,
    private readonly leases: EnrichmentLeaseStore,
    private readonly enricher: ColumnEnricher,
    private readonly tables: EnrichableRowsPort,
    private readonly lines: PaidLinesPort,
    private readonly workspaces: WorkspacePort,
    private readonly keys: KeyAccessPort,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.reaper = new PeriodicTask(() => this.reap(), {
      intervalMs: REAP_MS,
      onError: (error) => logger.warn({ err: error }, 'enrichments could not be looked after'),
    });
  }

  onApplicationBootstrap(): void {
    if (!this.stopping.signal.aborted) this.reaper.start();
  }

  /** Hands every enrichment in hand back to the others. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.reaper.stop();
    await Promise.all(this.inFlight);
  }

  /** Works on an enrichment until it has ended or turned out to be another agent's. Never throws. */
  work(id: string): Promise<void> {
    if (this.stopping.signal.aborted) return Promise.resolve();
    const work = this.perform(id).catch((error: unknown) => {
      // The lease runs out, and another agent goes on.
      this.logger.error({ err: error, enrichmentId: id }, 'an enrichment could not be worked on');
    });
    this.inFlight.add(work);
    return work.finally(() => this.inFlight.delete(work));
  }

  /** Finds enrichments without a live lease from the database alone. What it begins is not waited for. */
  private async reap(): Promise<void> {
    for (const id of await this.leases.takeSilent()) void this.work(id);
  }

  private async perform(id: string): Promise<void> {
    const leased = await this.leases.claim(id);
    if (!leased) return;
    const ports = { workspaces: this.workspaces, keys: this.keys };
    const guard = new RunGuard(this.leases, leased, ports, this.stopping.signal);
    try {
      await guard.checkpoint();
      await this.fill(leased, guard);
      await this.end(leased, 'completed');
    } catch (error) {
      await this.endBy(leased, error);
    } finally {
      guard.close();
    }
  }

  private async fill(leased: LeasedEnrichment, guard: RunGuard): Promise<void> {
    const { ctx, tableId, rowIds, callScope, isFresh } = leased;
    const own = new Set(leased.columns.map(({ key }) => key));
    const known = (await this.tables.getTable(ctx, tableId)).columns.filter(({ key }) => !own.has(key));
    const journal: Pick<StepJournal, 'step'> = {
      step: (name, prepare, work) => this.leases.step(leased, name, prepare, work),
    };
    for (let first = 0; first < rowIds.length; first += ROWS_AT_ONCE) {
      const rows = await this.tables.readRows(ctx, tableId, rowIds.slice(first, first + ROWS_AT_ONCE));
      await this.enricher.enrich(leased, journal, guard, {
        name: `rows-${first}`,
        ...{ tableId, columns: leased.columns, callScope, isFresh },
        rows: rows.map(({ id, values }) => ({ id, subject: subjectOfRow(known, values), evidence: values })),
      });
    }
  }

  private async endBy(leased: LeasedEnrichment, error: unknown): Promise<void> {
    if (error instanceof LeaseLostError) return;
    if (error instanceof RunHandedBackError) return this.leases.release(leased);
    if (isDatabaseUnavailable(error)) throw error;
    const isExpected = error instanceof RunCancelledError || error instanceof RunAccessRevokedError;
    if (!isExpected)
      this.logger.error(
        { err: error, enrichmentId: leased.id },
        'an enrichment ended with an unexpected error',
      );
    // Before it ends: an agent that is killed in between is followed by one that does it again.
    for (const list of await this.leases.openLists(leased)) await this.lines.cancel(leased.ctx, list);
    await this.end(leased, 'cancelled');
  }

  private async end(leased: LeasedEnrichment, status: 'completed' | 'cancelled'): Promise<void> {
    const { ctx, tableId, rowIds, columns } = leased;
    const keys = columns.map(({ key }) => key);
    await this.database
      .transaction(ctx, async (tx) => {
        if (!(await this.leases.end(tx, leased, status)))
          throw new LeaseLostError('The enrichment belongs to another agent.');
        await this.tables.skipPending(tx, tableId, { keys, rowIds, error: CANCELLED });
      })
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLostError)) throw error;
      });
  }
}
