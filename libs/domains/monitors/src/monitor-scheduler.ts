import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LOGGER, PeriodicTask, type Logger } from '@quarry/app';
import { MonitorDates } from './monitor-dates.js';

/** Milliseconds between two looks for dates that are due. */
const INTERVAL_MS = 5000;
/** Dates that one look begins, so that a stop does not wait for a thousand of them. */
const DATES_PER_LOOK = 100;

/** Looks for dates of monitors that are due. Any number of processes may: each date is begun by one of them. */
@Injectable()
export class MonitorScheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task: PeriodicTask;

  constructor(
    private readonly dates: MonitorDates,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.task = new PeriodicTask(() => this.beginDue(), {
      intervalMs: INTERVAL_MS,
      onError: (error) => logger.warn({ err: error }, 'dates of monitors could not be begun'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async beginDue(): Promise<void> {
    for (let begun = 0; begun < DATES_PER_LOOK && (await this.dates.beginDue()); begun += 1);
  }
}
