import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, PeriodicTask, type Logger } from '@quarry/app';
import { MonitorDates } from './monitor-dates.js';

/** Milliseconds between two checks for due dates. */
const INTERVAL_MS = 5000;
/** Maximum number of dates started per check, so that a shutdown does not wait for a thousand of them. */
const DATES_PER_LOOK = 100;

/** Checks for due dates of monitors. Any number of processes may run it: each date is started by one of them. */
@Injectable()
export class MonitorScheduler extends PeriodicTask {
  constructor(
    private readonly dates: MonitorDates,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(() => this.beginDue(), {
      intervalMs: INTERVAL_MS,
      onError: (error) => logger.warn({ err: error }, 'dates of monitors could not be begun'),
    });
  }

  private async beginDue(): Promise<void> {
    for (let begun = 0; begun < DATES_PER_LOOK && (await this.dates.beginDue()); begun += 1);
  }
}
