import { Module } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import { FastServiceRunner } from './fast-service.runner.js';
import { FastServicesController } from './fast-services.controller.js';
import { HoldReaper } from './hold-reaper.js';

/**
 * Answers direct calls, and frees the credits of those that a crash has cut off. Wants the port of exclusions and the
 * providers of data from global modules.
 */
@Module({
  imports: [CreditLedgerModule],
  controllers: [FastServicesController],
  providers: [HoldReaper, FastServiceRunner],
})
export class FastServicesModule {}
