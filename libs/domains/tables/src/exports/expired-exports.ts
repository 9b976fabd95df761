import type { Ctx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';

// The bytes of an export go with it, up to some hundred megabytes each; a few at a time keep the transaction short.
const EXPORTS_PER_STATEMENT = 20;

/** Deletes some exports past their life, of every organisation: a reaper's work, not a request's. @returns how many */
export async function deleteExpiredExports(database: Database, ctx: Ctx): Promise<number> {
  return (await database.query(ctx, DELETE_EXPIRED)).length;
}

const DELETE_EXPIRED = statement(
  'expired-exports.deleteExpired',
  `
  DELETE FROM tables.exports WHERE (org_id, id) IN (
    SELECT org_id, id FROM tables.exports WHERE expires_at <= clock_timestamp()
    ORDER BY expires_at LIMIT ${EXPORTS_PER_STATEMENT})
  RETURNING id`,
);
