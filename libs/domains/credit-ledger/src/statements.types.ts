// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'credit-ledger.audit': { params: readonly []; row: { fault: string | null } };
  'credit-ledger.balance': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { available: string; reserved: string; spent: string; granted: string; updated_at: Date };
  };
  'credit-ledger.grant': {
    params: readonly [
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
      string | null,
      string | null,
    ];
    row: { added: boolean | null };
  };
  'credit-ledger.hold': { params: readonly [string | null]; row: { outcome: string | null } };
  'credit-ledger.holdAllFor': {
    params: readonly [string | null, number | null];
    row: { hold: string | null; outcome: string | null };
  };
  'credit-ledger.holdFor': {
    params: readonly [string | null, number | null];
    row: { outcome: string | null };
  };
  'credit-ledger.outlook': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { available: string; room: string | null };
  };
  'credit-ledger.resolve': { params: readonly [string | null]; row: { resolve_holds: string | null } };
  'credit-ledger.voidExpired': {
    params: readonly [number | null];
    row: { hold: string | null; voided: boolean | null };
  };
  'credit-statements.chargesOfRun': {
    params: readonly [string | null, string | null, Date | string | null];
    row: { batch_id: string | null; service: string | null; amount: string | null };
  };
  'credit-statements.costOfJob': {
    params: readonly [string | null, string | null];
    row: { id: string; amount: string };
  };
  'credit-statements.entries': {
    params: readonly [
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { id: string; at: string | null; json: string | null };
  };
  'credit-statements.usage': {
    params: readonly [string | null, Date | string | null, string | null, number | string | null];
    row: { key: string | null; amount: string | null; charges: string | null };
  };
  'ledger-check.allowLong': { params: readonly []; row: Record<never, unknown> };
  'ledger-check.deleteOldChecks': { params: readonly [number | null]; row: Record<never, unknown> };
  'ledger-check.deleteOldUsage': { params: readonly [number | null]; row: Record<never, unknown> };
  'ledger-check.isDue': { params: readonly [number | string | null]; row: { isDue: boolean | null } };
  'ledger-check.last': { params: readonly []; row: { checked_at: Date; fault_count: number } };
  'ledger-check.noteCheck': {
    params: readonly [number | null, ReadonlyArray<string | null> | null, number | null];
    row: Record<never, unknown>;
  };
  'ledger-check.takeTurn': { params: readonly [number | string | null]; row: { isTaken: boolean | null } };
  'spend-limits.deleteCap': {
    params: readonly [string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'spend-limits.lockAccount': { params: readonly [string | null]; row: { '?column?': number | null } };
  'spend-limits.noteCapped': { params: readonly [string | null]; row: Record<never, unknown> };
  'spend-limits.openAccount': {
    params: readonly [string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'spend-limits.read': {
    params: readonly [string | null, string | null];
    row: { period: string | null; cap: string | null; used: string | null; resets_at: Date | null };
  };
  'spend-limits.setCap': {
    params: readonly [string | null, string | null, string | null, number | string | null];
    row: Record<never, unknown>;
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
