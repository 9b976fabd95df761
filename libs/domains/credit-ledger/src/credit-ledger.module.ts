import { Module } from '@nestjs/common';
import { CreditLedger } from './credit-ledger.js';
import { CreditStatements } from './credit-statements.js';
import { CreditsController } from './credits.controller.js';
import { LedgerCheck } from './ledger-check.js';
import { SpendLimitStore } from './spend-limits.js';

/** Provides the ledger to everything that holds and posts credits. */
@Module({ providers: [CreditLedger], exports: [CreditLedger] })
export class CreditLedgerModule {}

/** Provides the ledger's entries to the processes that list them. */
@Module({ providers: [CreditStatements], exports: [CreditStatements] })
export class CreditStatementsModule {}

/** Handles the calls for balance, caps and statement. */
@Module({
  imports: [CreditLedgerModule, CreditStatementsModule],
  controllers: [CreditsController],
  providers: [SpendLimitStore],
})
export class CreditsApiModule {}

/** Audits the ledger every hour. Any number of processes may import it; one of them runs the audit. */
@Module({ imports: [CreditLedgerModule], providers: [LedgerCheck] })
export class LedgerCheckModule {}
