import type { Database, TxCtx } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/**
 * Lifts the time limit of statements for the rest of a transaction: a file is copied by one statement, which takes as
 * long as the file is large, and nobody waits for it but who gave the command.
 */
export async function allowLongStatements(database: Database, tx: TxCtx): Promise<void> {
  await database.query(tx, ALLOW_LONG);
}

const ALLOW_LONG = statement('long-statements.allowLong', 'SET LOCAL statement_timeout = 0');
