import type { Ctx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';

// The bytes are deleted too, up to some hundred megabytes for each export; a few at a time keep the transaction short.
const EXPORTS_PER_STATEMENT = 20;

/**
 * Deletes some expired exports of all organisations. Called by the retention, never by a request.
 * @returns the number of deleted exports
 */
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
