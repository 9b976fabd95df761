// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Flag, Num, Text, Texts, Time, Typed } from '@quarry/postgres';

interface StatementTypes {
  'credit-ledger.audit': Typed<[], { fault: Text }>;
  'credit-ledger.balance': Typed<
    [Texts],
    { available: string; reserved: string; spent: string; granted: string; updated_at: Date }
  >;
  'credit-ledger.grant': Typed<[Text, Text, Text, Text, BigNum, Text, Text], { added: Flag }>;
  'credit-ledger.granted': Typed<[Text, Text], { amount: Text }>;
  'credit-ledger.hold': Typed<[Text], { outcome: Text }>;
  'credit-ledger.holdAllFor': Typed<[Text, Num], { hold: Text; outcome: Text }>;
  'credit-ledger.outlook': Typed<[Texts, Text], { available: string; room: Text }>;
  'credit-ledger.resolve': Typed<[Text], { resolve_holds: Text }>;
  'credit-ledger.voidExpired': Typed<[Num], { hold: Text; voided: Flag }>;
  'credit-statements.chargesOfRuns': Typed<
    [Text, Texts, Time],
    { runId: Text; batchId: Text; service: Text; amount: Text }
  >;
  'credit-statements.costOfJob': Typed<[Text, Text], { id: string; amount: string }>;
  'credit-statements.entries': Typed<
    [Text, Text, Text, Text, Text, Text, BigNum],
    { id: string; at: Text; json: Text }
  >;
  'credit-statements.usage': Typed<[Text, Time, Text, BigNum], { key: Text; amount: Text; charges: Text }>;
  'ledger-check.allowLong': Typed<[]>;
  'ledger-check.deleteOldChecks': Typed<[Num]>;
  'ledger-check.deleteOldUsage': Typed<[Num]>;
  'ledger-check.isDue': Typed<[BigNum], { isDue: Flag }>;
  'ledger-check.last': Typed<[], { checked_at: Date; fault_count: number }>;
  'ledger-check.noteCheck': Typed<[Num, Texts, Num]>;
  'ledger-check.takeTurn': Typed<[BigNum], { isTaken: Flag }>;
  'spend-limits.deleteCap': Typed<[Text, Text, Text]>;
  'spend-limits.lockAccount': Typed<[Text], { '?column?': Num }>;
  'spend-limits.noteCapped': Typed<[Text]>;
  'spend-limits.openAccount': Typed<[Text, Text, Text]>;
  'spend-limits.read': Typed<[Text, Text], { period: Text; cap: Text; used: Text; resets_at: Date | null }>;
  'spend-limits.setCap': Typed<[Text, Text, Text, BigNum]>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
