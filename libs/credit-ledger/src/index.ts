export {
  accountId,
  CreditLedger,
  type AccountMode,
  type Balance,
  type HoldOutcome,
  type HoldSubject,
  type ResolveOutcome,
} from './credit-ledger.js';
export { toCredits, toMillicredits, type Millicredits } from './credits.js';
export { CreditStatements, type StatementQuery } from './credit-statements.js';
