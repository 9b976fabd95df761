import type { Actor } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Database, TxCtx } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/**
 * Keeps a user as they are until the transaction ends: a removal or a change of role waits, and then ends what the transaction
 * has created.
 * @throws AppError not_found if the user was removed, or has lost the role since the request was authorised
 */
export async function lockUser(db: Database, tx: TxCtx, { userId, role }: Actor): Promise<void> {
  const found = await db.queryOne(tx, LOCK, [tx.orgId, userId, role]);
  if (!found) throw new AppError('not_found', 'Nothing was found at this address.');
}

const LOCK = statement(
  'user-lock.lock',
  `SELECT 1 FROM identity.users WHERE org_id = $1 AND id = $2 AND role IN ($3, 'owner') AND removed_at IS NULL FOR SHARE`,
);
