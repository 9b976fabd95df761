import type { Ctx } from '@quarry/app';
import { ofTenant, tenantOf, type Database, type TxCtx } from '@quarry/postgres';
import { statement } from './statements.types.js';

/** @returns the addresses that getEmail has found and verified, by job id, without those whose results were removed */
export async function verifiedEmails(
  database: Database,
  ctx: Ctx | TxCtx,
  jobIds: readonly string[],
): Promise<Map<string, string>> {
  if (jobIds.length === 0) return new Map();
  const found = await database.query(ctx, FIND, [tenantOf(ctx), jobIds]);
  return new Map(found.map(({ id, email }) => [id, email]));
}

const FIND = statement(
  'verified-emails.find',
  `SELECT j.id, j.result ->> 'email' AS email FROM jobs.jobs j
   WHERE ${ofTenant('j')} AND j.id = ANY ($2::text[]) AND j.service = 'getEmail' AND j.state = 'completed'
     AND j.result ->> 'status' = 'verified' AND j.result ->> 'email' IS NOT NULL`,
).rows<{ email: string }>();
