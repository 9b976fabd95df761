import { Module } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import { RunCharges } from '../run-charges.js';
import { SourcingAccount } from '../sourcing/sourcing-account.js';
import { ColumnEnricher } from './column-enricher.js';

const providers = [SourcingAccount, RunCharges, ColumnEnricher];

/** Provides the column enricher to runs and enrichments. Needs the ports of this library from global modules. */
@Module({ imports: [CreditLedgerModule], providers, exports: providers })
export class ColumnEnricherModule {}
