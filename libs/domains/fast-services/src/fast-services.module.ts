import { Module } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import { FastServiceRunner } from './fast-service.runner.js';
import { FastServicesController } from './fast-services.controller.js';
import { HoldReaper } from './hold-reaper.js';

/**
 * Handles direct calls, and releases the credits of those that a crash has interrupted. Requires the exclusion port and
 * the data providers from global modules.
 */
@Module({
  imports: [CreditLedgerModule],
  controllers: [FastServicesController],
  providers: [HoldReaper, FastServiceRunner],
})
export class FastServicesModule {}
