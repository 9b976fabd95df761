import { systemCtx } from '@quarry/app';
import type { Database } from '@quarry/postgres';

const RANK: Readonly<Record<string, number>> = {
  queued: 0,
  running: 1,
  completed: 2,
  failed: 2,
  cancelled: 2,
};

interface Seen {
  state: string;
  attempt: number;
  /** Digest of result and error, to prove that an ended job never changes. */
  digest: string;
  isEmptied: boolean;
}

/**
 * Samples jobs and accounts while faults happen: a job only moves forward, an ended one never changes except that it is
 * emptied, attempts never decrease, and the sums of an account agree in every sample.
 */
export class StateSampler {
  private readonly seen = new Map<string, Seen>();
  private readonly broken = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();
  samples = 0;

  constructor(
    private readonly database: Database,
    private readonly everyMs = 100,
  ) {}

  start(): this {
    const next = (): void => {
      this.round = this.sample().finally(() => {
        if (this.timer) this.timer = setTimeout(next, this.everyMs);
      });
    };
    this.timer = setTimeout(next, 0);
    return this;
  }

  /** Takes a last sample. @returns all violations */
  async stop(): Promise<string[]> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    await this.round;
    await this.sample();
    return [...this.broken];
  }

  /** Suspends sampling while a test prepares past data, and uses the result as the new baseline. */
  async unwatched(work: () => Promise<unknown>): Promise<void> {
    await this.stop();
    await work();
    this.seen.clear();
    this.start();
  }

  private async sample(): Promise<void> {
    const ctx = systemCtx('sampler');
    const accounts = await this.database.query<{ id: string }>(
      ctx,
      'SELECT id FROM credits.accounts WHERE available + reserved + spent <> granted OR least(available, reserved, spent) < 0',
    );
    for (const { id } of accounts) this.broken.add(`account ${id} does not add up`);
    const rows = await this.database.query<{ id: string } & Seen & Record<string, unknown>>(
      ctx,
      `SELECT id, state, attempt, md5(concat(result::text, error::text, completed_at::text)) AS digest,
         emptied_at IS NOT NULL AS "isEmptied" FROM jobs.jobs`,
    );
    for (const { id, ...now } of rows) {
      const before = this.seen.get(id);
      if (before) this.checkChange(id, before, now);
      this.seen.set(id, now);
    }
    this.samples += 1;
  }

  private checkChange(id: string, before: Seen, now: Seen): void {
    const [was, is] = [RANK[before.state] ?? -1, RANK[now.state] ?? -1];
    if (is < was) this.broken.add(`${id} went from ${before.state} back to ${now.state}`);
    if (was === 2 && before.state !== now.state)
      this.broken.add(`${id} ended twice: ${before.state}, then ${now.state}`);
    if (was === 2 && before.digest !== now.digest && !now.isEmptied)
      this.broken.add(`${id} changed after its end`);
    if (now.attempt < before.attempt) this.broken.add(`${id} lost an attempt`);
  }
}
