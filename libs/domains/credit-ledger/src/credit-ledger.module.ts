import { Module } from '@nestjs/common';
import { CreditLedger } from './credit-ledger.js';
import { CreditStatements } from './credit-statements.js';
import { CreditsController } from './credits.controller.js';
import { LedgerCheck } from './ledger-check.js';
import { SpendLimitStore } from './spend-limits.js';

/** The one way to credits, for whoever holds and posts. */
@Module({ providers: [CreditLedger], exports: [CreditLedger] })
export class CreditLedgerModule {}

/** Provides the entries of the ledger to the processes that show them. */
@Module({ providers: [CreditStatements], exports: [CreditStatements] })
export class CreditStatementsModule {}

/** Answers the calls for balance, caps and statement. */
@Module({
  imports: [CreditLedgerModule, CreditStatementsModule],
  controllers: [CreditsController],
  providers: [SpendLimitStore],
})
export class CreditsApiModule {}

/** Checks the books every hour. Any number of processes may import it; one of them makes the check. */
@Module({ imports: [CreditLedgerModule], providers: [LedgerCheck] })
export class LedgerCheckModule {}
