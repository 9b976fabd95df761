import { Inject, Injectable } from '@nestjs/common';
import type { ColumnJson } from '@quarry/dto';
import { AppError, ERROR_CODES } from '@quarry/error-codes';
import { Lifecycle, LOGGER, PeriodicTask, systemCtx, type Logger } from '@quarry/app';
import { Database, isoTime } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { ContactColumnsPort } from './contact-columns.port.js';

/** Milliseconds until a table shows a change of its people. */
const SWEEP_MS = 2_000;
const ROWS_PER_SWEEP = 1_000;

const column = (key: string, name: string, kind: ColumnJson['kind']): ColumnJson => ({
  key,
  name,
  kind,
  qualification: {},
});
const COLUMNS = [
  column('outreach_status', 'Outreach', 'text'),
  column('written_to_at', 'Written to', 'date'),
  column('answered_at', 'Answered', 'date'),
];

const system = systemCtx('contact-columns');

/**
 * Shows the status of each enrolled person in the source tables, with the times of the last message and of the reply. It
 * compares the current state with the state that was shown, so nothing has to notify it, and nothing is lost with a process.
 */
@Injectable()
export class ContactColumns extends PeriodicTask {
  constructor(
    private readonly database: Database,
    private readonly tables: ContactColumnsPort,
    private readonly life: Lifecycle,
    @Inject(LOGGER) logger: Logger,
  ) {
    super((stopping) => this.showAll(stopping), {
      intervalMs: SWEEP_MS,
      onError: (error) =>
        logger.warn({ err: error }, 'the status of enrolled people could not be written to their tables'),
    });
  }

  override onApplicationBootstrap(): void {
    if (!this.life.isClosing) this.start();
  }

  /** Shows what has changed. */
  async showAll(stopping: AbortSignal): Promise<void> {
    for (;;) {
      const changed = await this.database.query(system, CHANGED, [ROWS_PER_SWEEP], 'heartbeat');
      const byTable = Map.groupBy(changed, ({ org_id: org, mode, table_id: id }) => `${org} ${mode} ${id}`);
      for (const rows of byTable.values()) {
        if (stopping.aborted) return;
        await this.showContacts(rows);
      }
      if (changed.length < ROWS_PER_SWEEP) return;
    }
  }

  private async showContacts(rows: ChangedContact[]): Promise<void> {
    const [{ org_id: orgId, mode, table_id: tableId }] = rows as [ChangedContact];
    const ctx = { ...systemCtx('contact-columns', orgId), mode };
    const values = rows.map((row) => ({
      id: row.row_id,
      values: {
        outreach_status: row.status,
        written_to_at: row.written_to_at?.slice(0, 10) ?? null,
        answered_at: row.answered_at?.slice(0, 10) ?? null,
      },
    }));
    try {
      await this.tables.showValues(ctx, tableId, COLUMNS, values);
    } catch (error) {
      // A table that was deleted, or that takes no more columns, is skipped, so that others need not wait.
      if (!(error instanceof AppError) || ERROR_CODES[error.code].retryable) throw error;
    }
    const ids = rows.map(({ id }) => id);
    const shown = rows.map((row) => row.shown);
    await this.database.query(ctx, MARK_SHOWN, [orgId, mode, ids, shown]);
  }
}

/** The same expression as in the partial index on it. */
const NOW = (alias: string): string => `${alias}.status || ' ' || ${alias}.step::text`;

const CHANGED = statement(
  'contact-columns.changed',
  `
  SELECT e.org_id, e.mode, e.id, e.table_id, e.row_id, e.status, ${NOW('e')} AS shown,
    (SELECT ${isoTime('max(m.ended_at)')} FROM outreach.messages m WHERE m.org_id = e.org_id AND m.mode = e.mode
       AND m.thread_id = e.thread_id AND m.direction = 'out' AND m.state = 'sent') AS written_to_at,
    (SELECT ${isoTime('max(m.ended_at)')} FROM outreach.messages m WHERE m.org_id = e.org_id AND m.mode = e.mode
       AND m.thread_id = e.thread_id AND m.direction = 'in' AND m.kind IN ('reply', 'unsubscribe')) AS answered_at
  FROM outreach.enrollments e
  WHERE e.table_id IS NOT NULL AND e.row_id IS NOT NULL AND e.shown IS DISTINCT FROM ${NOW('e')}
  ORDER BY e.org_id, e.mode, e.table_id LIMIT $1`,
).rows<{ table_id: string; row_id: string; shown: string }>();

type ChangedContact = (typeof CHANGED)['types']['row'];

const MARK_SHOWN = statement(
  'contact-columns.markShown',
  `UPDATE outreach.enrollments e SET shown = ($4::text[])[array_position($3::text[], e.id)]
   WHERE e.org_id = $1 AND e.mode = $2 AND e.id = ANY ($3::text[])`,
);
