// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/platform';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const statement = statementsOf<any>();
