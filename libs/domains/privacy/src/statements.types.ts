// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'person-erasure.beginReceipt': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
  'person-erasure.claimFollowed': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { subject: unknown; erased: unknown };
  };
  'person-erasure.endFollowed': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'person-erasure.endReceipt': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      boolean | null,
    ];
    row: Record<never, unknown>;
  };
  'person-erasure.findFollowed': {
    params: readonly [];
    row: { org_id: string; mode: 'live' | 'test'; id: string; done_at: string | null };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
