export { CreditLedger, outlookOf, type HoldOutcome, type NewHold, type Spendable } from './credit-ledger.js';
export { TEST_CREDITS, toCredits, toMillicredits, type Millicredits } from './credits.js';
export { auditLedger, LedgerCheck } from './ledger-check.js';
export { grantCredits, readSpendLimits, setSpendLimits, type SpendLimitHolder } from './operator-credits.js';
export { capReached, SpendLimitStore } from './spend-limits.js';
export { chargesOfRun, chargesOfRuns, CreditStatements, type RunCharge } from './credit-statements.js';
export { CreditLedgerModule, CreditsApiModule, LedgerCheckModule } from './credit-ledger.module.js';
