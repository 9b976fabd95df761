import { systemCtx, type Database, type Logger } from '@quarry/platform';

/** Source: contract, batch rule 9. */
const RETENTION_DAYS = 30;
/** Twice in the promised hour of grace. */
const INTERVAL_MS = 30 * 60 * 1000;
// Small, so that emptying never holds many rows locked at once.
const LINES_PER_STATEMENT = 1000;

/**
 * Empties requests and results of lines 30 days after their end, by the time of their end: a line that still runs is
 * left alone however old it is, and the ledger is never touched.
 */
export class Retention {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.round = this.emptyAll();
    this.timer = setInterval(() => {
      this.round = this.round.then(() => this.emptyAll());
    }, INTERVAL_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.round;
  }

  /** Empties everything that is due. Never throws. */
  async emptyAll(): Promise<void> {
    try {
      while ((await this.emptySome()) === LINES_PER_STATEMENT);
    } catch (error) {
      this.logger.warn({ err: error }, 'old lines could not be emptied');
    }
  }

  private async emptySome(): Promise<number> {
    const rows = await this.database.query(
      systemCtx('retention'),
      `UPDATE jobs.jobs SET input = NULL, result = NULL, share_key = NULL, reuse_key = NULL, emptied_at = clock_timestamp()
       WHERE id IN (
         SELECT id FROM jobs.jobs
         WHERE completed_at < clock_timestamp() - make_interval(days => $1) AND emptied_at IS NULL
         ORDER BY completed_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1`,
      [RETENTION_DAYS, LINES_PER_STATEMENT],
    );
    return rows.length;
  }
}
