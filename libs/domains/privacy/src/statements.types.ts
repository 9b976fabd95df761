// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { Flag, Text, Texts, Typed } from '@quarry/postgres';

interface StatementTypes {
  'person-erasure.beginReceipt': Typed<[Texts, Text, Text, Text, Text]>;
  'person-erasure.claimFollowed': Typed<[Texts, Text], { subject: unknown; erased: unknown }>;
  'person-erasure.endFollowed': Typed<[Texts, Text, Text]>;
  'person-erasure.endReceipt': Typed<[Texts, Text, Text, Text, Flag]>;
  'person-erasure.findFollowed': Typed<
    [],
    { org_id: string; mode: 'live' | 'test'; id: string; done_at: Text }
  >;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
