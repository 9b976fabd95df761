import { statement } from '../statements.types.js';
import type { Database } from './database.js';
import { tenantOf } from './tenant.js';
import type { TxCtx } from './transaction.js';

/**
 * Serialises transactions of a tenant that create one kind of thing, so that each is counted against the limit.
 * @param what plural of its name, which is part of the lock
 */
export async function lockTenant(database: Database, tx: TxCtx, what: string): Promise<void> {
  await database.query(tx, LOCK, [tenantOf(tx), what]);
}

const LOCK = statement(
  'lock-tenant.lock',
  "SELECT pg_advisory_xact_lock(hashtext($2), hashtext(array_to_string($1::text[], ' ')))",
);
