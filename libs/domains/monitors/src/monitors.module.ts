import { Module } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import { MonitorDates } from './monitor-dates.js';
import { MonitorScheduler } from './monitor-scheduler.js';
import { MonitorStore } from './monitor.store.js';
import { MonitorsController } from './monitors.controller.js';

/**
 * Handles the calls for monitors. Needs the stores of `RunsModule`, and {@link ItemRowsPort} and the workspace port from global
 * modules.
 */
@Module({
  imports: [CreditLedgerModule],
  controllers: [MonitorsController],
  providers: [MonitorStore, MonitorDates],
  exports: [MonitorDates],
})
export class MonitorsModule {}

/** Starts the scheduled runs of monitors, in a process that works for all organisations. */
@Module({ imports: [MonitorsModule], providers: [MonitorScheduler] })
export class MonitorSchedulerModule {}
