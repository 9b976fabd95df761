import { Module } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import { RunAccount } from '../run-account.js';
import { ColumnEnricher } from './column-enricher.js';

const providers = [RunAccount, ColumnEnricher];

/** Provides the column enricher to runs and enrichments. Needs the ports of this library from global modules. */
@Module({ imports: [CreditLedgerModule], providers, exports: providers })
export class ColumnEnricherModule {}
