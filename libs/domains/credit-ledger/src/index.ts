export {
  accountId,
  CreditLedger,
  type Balance,
  outlookOf,
  type HoldOutcome,
  type HoldSubject,
  type NewHold,
  type ResolveOutcome,
  type Spendable,
} from './credit-ledger.js';
export { TEST_CREDITS, toCredits, toMillicredits, type Millicredits } from './credits.js';
export { auditLedger, LedgerCheck, type LastCheck } from './ledger-check.js';
export { grantCredits, readSpendLimits, setSpendLimits, type SpendLimitHolder } from './operator-credits.js';
export {
  capReached,
  SpendLimitStore,
  type NewCaps,
  type SpendLimit,
  type SpendLimits,
} from './spend-limits.js';
export {
  chargesOfRun,
  chargesOfRuns,
  CreditStatements,
  type RunCharge,
  type StatementQuery,
} from './credit-statements.js';
export {
  CreditLedgerModule,
  CreditsApiModule,
  CreditStatementsModule,
  LedgerCheckModule,
} from './credit-ledger.module.js';
