import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from '../telemetry/logger.js';
import { PeriodicTask } from './periodic-task.js';

/** Removal of data that is kept for a limited time. */
export interface RetentionRule {
  /** A short name for logs. */
  what: string;
  /**
   * Deletes or empties a few things whose time is over, by the clock of the database: few, so that no statement keeps
   * many rows locked. It is asked again until nothing is left.
   * @returns how many it was
   */
  removeSome: () => Promise<number>;
}

/** Twice in the hour of grace that docs/retention.md promises. */
const INTERVAL_MS = 30 * 60 * 1000;

/**
 * Removes what is due by some rules, now and then. Any number of processes may do so at once. A rule that fails is
 * logged, and stops neither the other rules nor its own next round.
 */
export class RetentionTask implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task: PeriodicTask;

  constructor(
    private readonly rules: readonly RetentionRule[],
    private readonly logger: Logger,
  ) {
    this.task = new PeriodicTask((stopping) => this.removeDue(stopping), {
      intervalMs: INTERVAL_MS,
      onError: (error) => logger.warn({ err: error }, 'what is due could not be removed'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Waits for the statement in hand only. */
  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** Removes everything that is due by now. */
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
