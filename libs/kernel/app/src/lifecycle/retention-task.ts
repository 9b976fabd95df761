import type { Logger } from '../telemetry/logger.js';
import { PeriodicTask } from './periodic-task.js';

/** Removal of data with a limited retention time. */
export interface RetentionRule {
  /** Short name for logs. */
  what: string;
  /**
   * Deletes or empties a few expired items, by the database clock: few, so that no statement locks many rows. It is
   * called again until nothing is left.
   * @returns the number of removed items
   */
  removeSome: () => Promise<number>;
}

/** Two rounds within the hour of grace that docs/retention.md promises. */
const INTERVAL_MS = 30 * 60 * 1000;

/**
 * Removes expired data by a list of rules, periodically. Any number of processes can do so concurrently. A rule that
 * fails is logged; the other rules continue, and it runs again in the next round.
 */
export class RetentionTask extends PeriodicTask {
  constructor(
    private readonly rules: readonly RetentionRule[],
    private readonly logger: Logger,
  ) {
    super((stopping) => this.removeDue(stopping), {
      intervalMs: INTERVAL_MS,
      onError: (error) => logger.warn({ err: error }, 'what is due could not be removed'),
    });
  }

  /** Removes everything that has expired. */
  async removeDue(stopping?: AbortSignal): Promise<void> {
    for (const { what, removeSome } of this.rules) {
      try {
        while (!stopping?.aborted && (await removeSome()) > 0);
      } catch (error) {
        this.logger.warn({ err: error, what }, 'what is due could not be removed');
      }
    }
  }
}
