import { systemCtx } from '@quarry/app';
import { isoTime, type Database } from '@quarry/postgres';
import { IdentityError } from '../identity.error.js';
import { hashToken, newToken } from '../secret-token.js';
import { statement } from '../statements.types.js';

/**
 * Creates a link that signs a user in once, within ten minutes.
 * @param appUrl address of the web application, without a trailing slash
 * @returns the link and its expiry, ISO 8601. @throws IdentityError if no user has this address
 */
export async function createLoginLink(
  database: Database,
  appUrl: string,
  email: string,
): Promise<{ link: string; expiresAt: string }> {
  const token = newToken();
  const made = await database.transaction(systemCtx('login link'), async (tx) => {
    await database.query(tx, FORGET_OLD);
    return database.queryOne(tx, INSERT, [hashToken(token), email]);
  });
  if (!made) throw new IdentityError(`There is no user with the address ${email}.`);
  return { link: `${appUrl}/login#${token}`, expiresAt: made.ends_at };
}

const FORGET_OLD = statement(
  'login-link.forgetOld',
  'DELETE FROM identity.login_links WHERE ends_at < clock_timestamp()',
);

const INSERT = statement(
  'login-link.insert',
  `
  INSERT INTO identity.login_links (token_sha256, org_id, user_id, ends_at)
  SELECT $1, org_id, id, clock_timestamp() + interval '10 minutes' FROM identity.users
  WHERE lower(email) = lower($2) AND removed_at IS NULL
  RETURNING ${isoTime('ends_at')} AS ends_at`,
).rows<{ ends_at: string }>();
