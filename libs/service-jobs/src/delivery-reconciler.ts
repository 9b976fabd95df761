import type { QueueName } from '@quarry/dto';
import { systemCtx, type Database, type Logger } from '@quarry/platform';
import { findSlowService } from '@quarry/service-catalog';
import type { Deliver } from './batch.store.js';

// A line is without a live delivery for 8 s before it is delivered again, looked for every 3 s: a list whose
// enqueue was lost is claimed within the promised 15 s.
const SILENT_MS = 8000;
const INTERVAL_MS = 3000;
const LINES_PER_ROUND = 1000;

/**
 * Delivers again what waits in PostgreSQL and nobody works on: the enqueue was lost, the queue was flushed, or the
 * worker died and its lease ran out. PostgreSQL is the truth; a message too many is harmless.
 */
export class DeliveryReconciler {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly options: {
      services: readonly string[];
      deliver: Deliver;
      /** Works on lines directly, for when the queue cannot take them. */
      work: (jobIds: string[]) => Promise<void>;
      /**
       * Messages of a queue that nobody has taken. A queue with a backlog is alive and gets no repeats. Taken ones do not
       * count: a living consumer claims at once, and a dead one's would put off their lines until the queue finds out.
       */
      waiting: (queue: QueueName) => Promise<number>;
      logger: Logger;
    },
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.round = this.round.then(() => this.reconcile());
    }, INTERVAL_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.round;
  }

  /** One round. Never throws. */
  async reconcile(): Promise<void> {
    for (const service of this.options.services) {
      const queue = findSlowService(service)?.queue;
      if (!queue) continue;
      await this.reconcileService(service, queue).catch((error: unknown) =>
        this.options.logger.warn({ err: error, service }, 'lines could not be delivered again'),
      );
    }
  }

  private async reconcileService(service: string, queue: QueueName): Promise<void> {
    const backlog = await this.options.waiting(queue).catch(() => 0);
    const rows = await this.database.query<{ id: string }>(
      systemCtx('reconciler'),
      `UPDATE jobs.jobs SET delivered_at = clock_timestamp() WHERE id IN (
         SELECT id FROM jobs.jobs
         WHERE service = $1 AND state IN ('queued', 'running') AND delivered_at < clock_timestamp() - make_interval(secs => $2 / 1000.0)
           AND (CASE WHEN lease_until IS NULL THEN $4 ELSE lease_until < clock_timestamp() END)
         ORDER BY delivered_at LIMIT $3 FOR UPDATE SKIP LOCKED)
       RETURNING id`,
      [service, SILENT_MS, LINES_PER_ROUND, backlog === 0],
    );
    if (rows.length === 0) return;
    const ids = rows.map((row) => row.id);
    this.options.logger.info(
      { service, lines: ids.length },
      'lines without a live delivery are delivered again',
    );
    await this.options.deliver(queue, ids).catch(() => this.options.work(ids));
  }
}
