import type { Logger } from '@quarry/platform';
import type { RunLeaseStore } from './run-lease.store.js';

// With a lease of 30 s this finds a lost run within the promised 45 s.
const INTERVAL_MS = 3000;

/** Finds runs that lost their agent or their delivery, from the database alone, and delivers them again. */
export class RunReaper {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly leases: RunLeaseStore,
    private readonly deliver: (runId: string) => Promise<void>,
    private readonly logger: Logger,
  ) {}

  start(): void {
    void this.reap();
    this.timer = setInterval(() => {
      this.round = this.round.then(() => this.reap());
    }, INTERVAL_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.round;
  }

  /** One round. Never throws. */
  async reap(): Promise<void> {
    try {
      const lost = await this.leases.reapLost();
      if (lost.length > 0) this.logger.warn({ runs: lost }, 'runs lost their agent');
      for (const runId of await this.leases.takeSilent()) await this.deliver(runId);
    } catch (error) {
      this.logger.warn({ err: error }, 'runs could not be looked after');
    }
  }
}
