import type { QueueName } from '@quarry/dto';
import { systemCtx, type Logger, type WorkMetrics } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { findSlowService } from '@quarry/service-catalog';
import type { Deliver } from './batch.store.js';
import { statement } from './statements.types.js';

// A line counts as lost 8 s after its delivery, and is looked for every 3 s: a batch whose enqueue was lost is claimed within the
// promised 15 s.
const SILENT_MS = 8000;
const INTERVAL_MS = 3000;
/**
 * Milliseconds within which a committed batch reaches the queue. Lines older than the queue's next line by more than this are not
 * in it.
 */
const ENQUEUE_MS = 10_000;
/** As many as the queue hands to a process at once. */
const LINES_PER_ROUND = 1250;

// A queue with a backlog is alive and delivers in order (a message that has lost its consumer may come later): a line delivered
// well before the next message's line was created has no message any more. Both times come from PostgreSQL, so the clocks of
// producers do not matter.
const BORN_BEFORE = `SELECT created_at - interval '${ENQUEUE_MS} milliseconds' FROM jobs.jobs WHERE id = $4`;

/**
 * Delivers again what waits in PostgreSQL without a worker: the enqueue was lost, the queue was flushed, or a worker died and its
 * lease expired. PostgreSQL is the truth; an extra message is harmless.
 */
export class DeliveryReconciler {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();
  /** Number of lines in progress here because the queue was unavailable. */
  private linesTaken = 0;

  constructor(
    private readonly database: Database,
    private readonly options: {
      services: readonly string[];
      deliver: Deliver;
      /** Works on lines in this process, for when the queue is unavailable. */
      work: (jobIds: string[]) => Promise<void>;
      /**
       * Returns the line of the message that a queue will deliver next; null when none waits. Messages that a consumer has taken
       * do not count: a live consumer claims at once, and a dead one's would delay their lines until the queue notices.
       */
      nextLine: (queue: QueueName) => Promise<string | null>;
      logger: Logger;
      metrics?: WorkMetrics;
    },
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.round = this.round.then(() => this.reconcileDeliveries());
    }, INTERVAL_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.round;
  }

  /** Runs one round. Never throws. */
  async reconcileDeliveries(): Promise<void> {
    // In parallel: with an unresponsive queue server each of them waits for its time-out.
    await Promise.all(this.options.services.map((service) => this.reconcileOne(service)));
  }

  /** @param withoutQueue true when the queue has just failed: waiting lines are worked on here without asking it again */
  private async reconcileOne(service: string, withoutQueue = false): Promise<void> {
    const queue = findSlowService(service)?.queue;
    if (!queue) return;
    await this.reconcileService(service, queue, withoutQueue).catch((error: unknown) =>
      this.options.logger.warn({ err: error, service }, 'lines could not be delivered again'),
    );
  }

  private async reconcileService(service: string, queue: QueueName, withoutQueue: boolean): Promise<void> {
    const next = withoutQueue ? null : await this.options.nextLine(queue).catch(() => null);
    const rows = await this.database.query(systemCtx('reconciler'), TAKE_SILENT, [
      service,
      SILENT_MS,
      Math.max(0, LINES_PER_ROUND - this.linesTaken),
      next,
    ]);
    if (rows.length === 0) return;
    const ids = rows.map((row) => row.id);
    const lost = rows.filter((row) => row.was_leased).length;
    this.options.metrics?.countLease('line', 'reaped', lost);
    this.options.metrics?.countLease('line', 'delivered_again', rows.length - lost);
    this.options.logger.info(
      { service, lines: ids.length },
      'lines without a live delivery are delivered again',
    );
    if (withoutQueue) return this.takeLines(service, ids);
    await this.options.deliver(queue, ids).catch(() => this.takeLines(service, ids));
  }

  /**
   * Works on lines here, and on further ones as soon as these have ended, because waiting for the next round would halve the
   * throughput. Not awaited: a slow search must not delay the next round or a stop.
   */
  private takeLines(service: string, ids: string[]): void {
    this.linesTaken += ids.length;
    void this.options
      .work(ids)
      .catch((error: unknown) =>
        this.options.logger.warn({ err: error }, 'lines without a queue could not be worked on'),
      )
      .finally(() => {
        this.linesTaken -= ids.length;
        if (this.timer) this.round = this.round.then(() => this.reconcileOne(service, true));
      });
  }
}

const TAKE_SILENT = statement(
  'delivery-reconciler.takeSilent',
  `
  UPDATE jobs.jobs SET delivered_at = clock_timestamp() WHERE id IN (
    SELECT id FROM jobs.jobs
    WHERE service = $1 AND completed_at IS NULL AND delivered_at < clock_timestamp() - make_interval(secs => $2 / 1000.0)
      AND (CASE WHEN lease_until IS NULL THEN $4::text IS NULL OR delivered_at < (${BORN_BEFORE})
           ELSE lease_until < clock_timestamp() END)
    ORDER BY delivered_at LIMIT $3 FOR UPDATE SKIP LOCKED)
  RETURNING id, lease_until IS NOT NULL AS was_leased`,
).rows<{ was_leased: boolean }>();
