import { Module } from '@nestjs/common';
import { CreditLedger, CreditLedgerModule } from '@quarry/credit-ledger';
import { Database, LOGGER, type Logger } from '@quarry/platform';
import { Providers } from '@quarry/providers';
import { FastServiceRunner } from './fast-service.runner.js';
import { FastServicesController } from './fast-services.controller.js';
import { HoldReaper } from './hold-reaper.js';
import { ExclusionPort } from './ports/exclusion.port.js';

/**
 * Answers direct calls, and frees the credits of those that a crash has cut off. Wants {@link ExclusionPort} and
 * {@link Providers} from global modules.
 */
@Module({
  imports: [CreditLedgerModule],
  controllers: [FastServicesController],
  providers: [
    HoldReaper,
    {
      provide: FastServiceRunner,
      useFactory: (
        database: Database,
        ledger: CreditLedger,
        providers: Providers,
        exclusions: ExclusionPort,
        logger: Logger,
      ) =>
        new FastServiceRunner({
          database,
          ledger,
          providerFor: (service, mode) => providers.fastProviderFor(service, mode),
          exclusions,
          logger,
        }),
      inject: [Database, CreditLedger, Providers, ExclusionPort, LOGGER],
    },
  ],
})
export class FastServicesModule {}
