import { newId, type Ctx, type Database, type TxCtx } from '@quarry/platform';
import { hashSecret, newApiKey, parseApiKey, type KeyMode } from '../keys/api-key.format.js';
import { IdentityError } from './identity.error.js';
import { hashPassword, newPassword } from './password.js';

/** What the edge must know of a key to let a request in. */
export interface ApiKeyRecord {
  id: string;
  orgId: string;
  userId: string;
  mode: KeyMode;
  secretSha256: Buffer;
  isRevoked: boolean;
  /** True when the last use on record is more than a minute old, so that this use should be written. */
  isUseDue: boolean;
}

export interface CreatedUser {
  userId: string;
  email: string;
  /** Shown once. */
  password: string;
}

export interface CreatedKey {
  keyId: string;
  userId: string;
  /** The key's text, shown once. */
  apiKey: string;
}

export interface CreatedOrganisation extends CreatedUser {
  orgId: string;
  apiKey: string;
  testKey: string;
}

/** Organisations, users and API keys. Each method joins the transaction of a context that has one. */
export class IdentityStore {
  constructor(private readonly db: Database) {}

  /**
   * Creates an organisation with its first user and that user's live and test key.
   * @param command.email address of the user; by default one that no other organisation has
   */
  async createOrganisation(
    ctx: Ctx | TxCtx,
    command: { name: string; email?: string },
  ): Promise<CreatedOrganisation> {
    const orgId = newId('org');
    // RFC 6761 reserves .invalid: nobody can receive mail that is sent to the default address by mistake.
    const email = command.email ?? `owner@${orgId.replace('_', '-')}.invalid`;
    return this.db.transaction(ctx, async (tx) => {
      await this.db.query(tx, 'INSERT INTO identity.organisations (id, name) VALUES ($1, $2)', [
        orgId,
        command.name,
      ]);
      const user = await this.createUser(tx, { orgId, email });
      const live = await this.createKey(tx, { orgId, userId: user.userId, mode: 'live' });
      const test = await this.createKey(tx, { orgId, userId: user.userId, mode: 'test' });
      return { orgId, ...user, apiKey: live.apiKey, testKey: test.apiKey };
    });
  }

  /** @returns whether a key is revoked or gone: the narrow read that other rooms may ask. */
  async isKeyRevoked(ctx: Ctx | TxCtx, keyId: string): Promise<boolean> {
    const sql = 'SELECT 1 FROM identity.api_keys WHERE id = $1 AND revoked_at IS NULL';
    return (await this.db.queryOne(ctx, sql, [keyId])) === null;
  }

  /** Creates a user with a generated password. @throws IdentityError unknown organisation, address in use */
  async createUser(ctx: Ctx | TxCtx, command: { orgId: string; email: string }): Promise<CreatedUser> {
    const userId = newId('usr');
    const password = newPassword();
    const passwordHash = await hashPassword(password);
    // Judged by the statement itself, so that a refusal leaves the caller's transaction usable.
    const made = await this.db.queryOne(
      ctx,
      `INSERT INTO identity.users (id, org_id, email, password_hash)
       SELECT $1, id, $3, $4 FROM identity.organisations WHERE id = $2
       ON CONFLICT (lower(email)) DO NOTHING RETURNING id`,
      [userId, command.orgId, command.email, passwordHash],
    );
    if (!made) {
      await this.requireOrganisation(ctx, command.orgId);
      throw new IdentityError(`A user with the address ${command.email} exists already.`);
    }
    return { userId, email: command.email, password };
  }

  /**
   * Creates a key.
   * @param command.userId owner; by default the organisation's first user
   * @throws IdentityError when the organisation or the user in it does not exist
   */
  async createKey(
    ctx: Ctx | TxCtx,
    command: { orgId: string; userId?: string; mode: KeyMode },
  ): Promise<CreatedKey> {
    const apiKey = newApiKey(command.mode);
    const parsed = parseApiKey(apiKey);
    if (!parsed) throw new Error('A new key does not have the shape of a key.');
    const made = await this.db.queryOne<{ id: string; user_id: string }>(
      ctx,
      `INSERT INTO identity.api_keys (id, public_id, secret_sha256, last_four, org_id, user_id, mode)
       SELECT $1, $2, $3, $4, org_id, id, $7 FROM identity.users
       WHERE org_id = $5 AND ($6::text IS NULL OR id = $6)
       ORDER BY created_at, id LIMIT 1
       RETURNING id, user_id`,
      [
        newId('key'),
        parsed.publicId,
        hashSecret(parsed.secret),
        apiKey.slice(-4),
        command.orgId,
        command.userId ?? null,
        command.mode,
      ],
    );
    if (!made) {
      await this.requireOrganisation(ctx, command.orgId);
      throw new IdentityError(`Organisation ${command.orgId} has no such user.`);
    }
    return { keyId: made.id, userId: made.user_id, apiKey };
  }

  /**
   * Revokes a key; a revoked key stays revoked since when it was.
   * @param idOrKey the key's id (`key_…`) or its text
   * @throws IdentityError when there is no such key
   */
  async revokeKey(ctx: Ctx | TxCtx, idOrKey: string): Promise<{ keyId: string; revokedAt: Date }> {
    const parsed = parseApiKey(idOrKey);
    const revoked = await this.db.queryOne<{ id: string; revoked_at: Date }>(
      ctx,
      `UPDATE identity.api_keys SET revoked_at = coalesce(revoked_at, clock_timestamp())
       WHERE id = $1 OR (public_id = $2 AND secret_sha256 = $3) RETURNING id, revoked_at`,
      [idOrKey, parsed?.publicId ?? null, parsed ? hashSecret(parsed.secret) : null],
    );
    if (!revoked) throw new IdentityError('There is no such key.');
    return { keyId: revoked.id, revokedAt: revoked.revoked_at };
  }

  /** @returns the key with this public id, revoked or not; null when there is none. */
  async findKey(ctx: Ctx | TxCtx, publicId: string): Promise<ApiKeyRecord | null> {
    const row = await this.db.queryOne<KeyRow>(
      ctx,
      `SELECT id, org_id, user_id, mode, secret_sha256, revoked_at IS NOT NULL AS is_revoked,
              last_used_at IS NULL OR last_used_at < clock_timestamp() - ${USE_WRITTEN_EVERY} AS is_use_due
       FROM identity.api_keys WHERE public_id = $1`,
      [publicId],
    );
    return row && keyOf(row);
  }

  /** Notes that a key is in use; writes at most once a minute, whoever else notes it. */
  async noteKeyUse(ctx: Ctx | TxCtx, keyId: string): Promise<void> {
    await this.db.query(
      ctx,
      `UPDATE identity.api_keys SET last_used_at = clock_timestamp() WHERE id = $1
       AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - ${USE_WRITTEN_EVERY})`,
      [keyId],
    );
  }

  /** @throws IdentityError when there is no such organisation */
  async requireOrganisation(ctx: Ctx | TxCtx, orgId: string): Promise<void> {
    const found = await this.db.queryOne(ctx, 'SELECT 1 FROM identity.organisations WHERE id = $1', [orgId]);
    if (!found) throw new IdentityError(`There is no organisation ${orgId}.`);
  }
}

// Source: contract decisions, section 1.
const USE_WRITTEN_EVERY = `interval '1 minute'`;

type KeyRow = {
  id: string;
  org_id: string;
  user_id: string;
  mode: KeyMode;
  secret_sha256: Buffer;
  is_revoked: boolean;
  is_use_due: boolean;
};

function keyOf(row: KeyRow): ApiKeyRecord {
  return {
    id: row.id,
    orgId: row.org_id,
    userId: row.user_id,
    mode: row.mode,
    secretSha256: row.secret_sha256,
    isRevoked: row.is_revoked,
    isUseDue: row.is_use_due,
  };
}
