// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'reseal-keys.reseal': {
    params: readonly [string | null, string | null, string | null, string | null, string | null];
    row: { vendor: string };
  };
  'reseal-keys.sealed': {
    params: readonly [];
    row: { org_id: string; mode: 'live' | 'test'; vendor: string; sealed_key: string | null };
  };
  'vendor-choice.list': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { vendor: string; enabled: boolean; sealed_key: string | null; key_hint: string | null };
  };
  'vendor-choice.remove': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { had_key: boolean | null };
  };
  'vendor-choice.set': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      boolean | null,
      string | null,
      string | null,
    ];
    row: Record<never, unknown>;
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
