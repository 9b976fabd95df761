// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { Num, Text, Typed } from '@quarry/postgres';

interface StatementTypes {
  'tenant-changes.find': Typed<[Text, Num], { at: Text; changes: unknown }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
