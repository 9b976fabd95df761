// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { Flag, Text, Texts, Typed } from '@quarry/postgres';

interface StatementTypes {
  'reseal-keys.reseal': Typed<[Text, Text, Text, Text, Text], { vendor: string }>;
  'reseal-keys.sealed': Typed<
    [],
    { org_id: string; mode: 'live' | 'test'; vendor: string; sealed_key: Text }
  >;
  'vendor-choice.list': Typed<
    [Texts],
    { vendor: string; enabled: boolean; sealed_key: Text; key_hint: Text }
  >;
  'vendor-choice.remove': Typed<[Texts, Text], { had_key: Flag }>;
  'vendor-choice.set': Typed<[Texts, Text, Flag, Text, Text]>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
