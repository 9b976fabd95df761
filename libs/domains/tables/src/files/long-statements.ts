import type { Database, TxCtx } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/**
 * Lifts the statement time-out for the rest of a transaction: a file is copied by one statement, which takes as long as the file
 * is large, and only the operator who gave the command waits for it.
 */
export async function allowLongStatements(database: Database, tx: TxCtx): Promise<void> {
  await database.query(tx, ALLOW_LONG);
}

const ALLOW_LONG = statement('long-statements.allowLong', 'SET LOCAL statement_timeout = 0');
