import { Module } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import { MonitorDates } from './monitor-dates.js';
import { MonitorScheduler } from './monitor-scheduler.js';
import { MonitorStore } from './monitor.store.js';
import { MonitorsController } from './monitors.controller.js';

/**
 * Answers the calls for monitors, and begins what they are due for. Wants the stores of `RunsModule`, {@link ItemRowsPort} and the
 * workspaces from global modules.
 */
@Module({
  imports: [CreditLedgerModule],
  controllers: [MonitorsController],
  providers: [MonitorStore, MonitorDates, MonitorScheduler],
})
export class MonitorsModule {}
