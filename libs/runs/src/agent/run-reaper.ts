import { PeriodicTask, type Logger } from '@quarry/platform';
import type { RunLeaseStore, RunQueue } from './run-lease.store.js';

// With a lease of 30 s this finds a lost run within the promised 45 s.
const INTERVAL_MS = 3000;

/** Finds runs that lost their agent, and those of a queue that lost their delivery, from the database alone, and delivers them again. */
export class RunReaper {
  private readonly task: PeriodicTask;

  constructor(
    private readonly leases: RunLeaseStore,
    private readonly deliver: (runId: string) => Promise<void>,
    private readonly logger: Logger,
    private readonly queue: RunQueue = 'agent-runs',
  ) {
    this.task = new PeriodicTask(() => this.reap(), {
      intervalMs: INTERVAL_MS,
      onError: (error) => logger.warn({ err: error }, 'runs could not be looked after'),
    });
  }

  start(): void {
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async reap(): Promise<void> {
    const lost = await this.leases.reapLost();
    if (lost.length > 0) this.logger.warn({ runs: lost }, 'runs lost their agent');
    for (const runId of await this.leases.takeSilent(this.queue)) await this.deliver(runId);
  }
}
