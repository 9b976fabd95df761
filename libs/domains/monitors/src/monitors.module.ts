import { Module } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import { MonitorDates } from './monitor-dates.js';
import { MonitorScheduler } from './monitor-scheduler.js';
import { MonitorStore } from './monitor.store.js';
import { MonitorsController } from './monitors.controller.js';

/**
 * Handles the calls for monitors and starts their scheduled runs. Needs the stores of `RunsModule`, and {@link ItemRowsPort} and
 * the workspace port from global modules.
 */
@Module({
  imports: [CreditLedgerModule],
  controllers: [MonitorsController],
  providers: [MonitorStore, MonitorDates, MonitorScheduler],
})
export class MonitorsModule {}
