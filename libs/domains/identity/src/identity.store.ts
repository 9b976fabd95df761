import { Injectable } from '@nestjs/common';
import type { UserRole } from '@quarry/dto';
import { newId, systemCtx, type Ctx, type Mode } from '@quarry/app';
import { isoTime, Database, type AuditEntry, recordAudit, type TxCtx } from '@quarry/postgres';
import { hashSecret, newApiKey, parseApiKey } from './keys/api-key.format.js';
import { IdentityError } from './identity.error.js';
import { hashPassword, newPassword } from './password.js';
import { statement } from './statements.types.js';

/** Attributes of a key by which the edge authorises a request. */
export type ApiKeyRecord = {
  id: string;
  orgId: string;
  userId: string;
  mode: Mode;
  secretSha256: Buffer;
  isRevoked: boolean;
  /** True if the recorded last use is more than a minute old, so that this use should be recorded. */
  isUseDue: boolean;
  /** Role of its user, which determines the permissions of the key. */
  role: UserRole;
};

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

/** A key as shown to an operator. Times are ISO 8601. */
export type ListedKey = {
  id: string;
  userId: string;
  mode: Mode;
  lastFour: string;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
};

export interface CreatedOrganisation extends CreatedUser {
  orgId: string;
  apiKey: string;
  testKey: string;
}

/** Organisations, users and API keys. Each method joins the transaction of its context, if there is one. */
@Injectable()
export class IdentityStore {
  constructor(private readonly db: Database) {}

  /**
   * Creates an organisation with its first user and that user's live and test key.
   * @param command.email address of the user; by default a generated, unique one
   */
  async createOrganisation(
    ctx: Ctx | TxCtx,
    command: { name: string; email?: string },
  ): Promise<CreatedOrganisation> {
    const orgId = newId('org');
    // RFC 6761 reserves .invalid: nobody can receive mail that is sent to the default address by mistake.
    const email = command.email ?? `owner@${orgId.replace('_', '-')}.invalid`;
    return this.db.transaction(ctx, async (tx) => {
      await this.db.query(tx, INSERT_ORGANISATION, [orgId, command.name]);
      await this.recordEntry(tx, orgId, { action: 'organisation.created', object: orgId });
      const user = await this.createUser(tx, { orgId, email, role: 'owner' });
      const live = await this.createKey(tx, { orgId, userId: user.userId, mode: 'live' });
      const test = await this.createKey(tx, { orgId, userId: user.userId, mode: 'test' });
      return { orgId, ...user, apiKey: live.apiKey, testKey: test.apiKey };
    });
  }

  /** @returns all organisations, oldest first */
  listOrganisations(ctx: Ctx): Promise<Array<{ id: string; name: string; createdAt: string }>> {
    return this.db.query(ctx, LIST_ORGANISATIONS);
  }

  /** @returns the users of an organisation, oldest first. @throws IdentityError unknown organisation */
  async listUsers(ctx: Ctx, orgId: string): Promise<Array<{ id: string; email: string; createdAt: string }>> {
    await this.requireOrganisation(ctx, orgId);
    return this.db.query(ctx, LIST_USERS, [orgId]);
  }

  /** @returns the keys of an organisation, oldest first, without their secrets. @throws IdentityError unknown organisation */
  async listKeys(ctx: Ctx, orgId: string): Promise<ListedKey[]> {
    await this.requireOrganisation(ctx, orgId);
    return this.db.query(ctx, LIST_KEYS, [orgId]);
  }

  /** @returns whether a key is revoked or deleted: the narrow read for other libraries */
  async isKeyRevoked(ctx: Ctx | TxCtx, keyId: string): Promise<boolean> {
    return (await this.db.queryOne(ctx, IS_KEY_REVOKED, [keyId], 'read')) === null;
  }

  /** Creates a user with a generated password. @throws IdentityError unknown organisation, address in use */
  async createUser(
    ctx: Ctx | TxCtx,
    command: { orgId: string; email: string; role?: UserRole },
  ): Promise<CreatedUser> {
    const userId = newId('usr');
    const password = newPassword();
    const passwordHash = await hashPassword(password);
    const made = await this.db.transaction(ctx, (tx) =>
      this.insertUser(tx, { role: 'member', ...command, userId, passwordHash }),
    );
    if (!made) {
      await this.requireOrganisation(ctx, command.orgId);
      throw new IdentityError(`A user with the address ${command.email} already exists.`);
    }
    return { userId, email: command.email, password };
  }

  /** @returns whether it was created. Checked by the statement itself, so that a conflict does not abort the transaction */
  private async insertUser(
    tx: TxCtx,
    user: { userId: string; orgId: string; email: string; passwordHash: string; role: UserRole },
  ): Promise<boolean> {
    const made = await this.db.queryOne(tx, INSERT_USER, [
      user.userId,
      user.orgId,
      user.email,
      user.passwordHash,
      user.role,
    ]);
    if (made) await this.recordEntry(tx, user.orgId, { action: 'user.created', object: user.userId });
    return made !== null;
  }

  /**
   * Creates a key.
   * @param command.userId owner; by default the organisation's first user
   * @throws IdentityError if the organisation or the user in it does not exist
   */
  async createKey(
    ctx: Ctx | TxCtx,
    command: { orgId: string; userId?: string; mode: Mode },
  ): Promise<CreatedKey> {
    const apiKey = newApiKey(command.mode);
    const parsed = parseApiKey(apiKey);
    if (!parsed) throw new Error('A new key does not have the shape of a key.');
    const made = await this.db.transaction(ctx, (tx) => this.insertKey(tx, command, { ...parsed, apiKey }));
    if (!made) {
      await this.requireOrganisation(ctx, command.orgId);
      throw new IdentityError(`Organisation ${command.orgId} has no user of this id.`);
    }
    return { keyId: made.id, userId: made.user_id, apiKey };
  }

  private async insertKey(
    tx: TxCtx,
    command: { orgId: string; userId?: string; mode: Mode },
    key: { publicId: string; secret: string; apiKey: string },
  ): Promise<{ id: string; user_id: string } | null> {
    const made = await this.db.queryOne(tx, INSERT_KEY, [
      newId('key'),
      key.publicId,
      hashSecret(key.secret),
      key.apiKey.slice(-4),
      command.orgId,
      command.userId ?? null,
      command.mode,
    ]);
    if (made) {
      const facts = { user: made.user_id, mode: command.mode };
      await this.recordEntry(tx, command.orgId, { action: 'key.created', object: made.id, facts });
    }
    return made;
  }

  /**
   * Revokes a key; a key that was revoked before keeps its original revocation time.
   * @param idOrKey the key's id (`key_…`) or its text
   * @throws IdentityError if there is no such key
   */
  async revokeKey(ctx: Ctx | TxCtx, idOrKey: string): Promise<{ keyId: string; revokedAt: Date }> {
    const parsed = parseApiKey(idOrKey);
    return this.db.transaction(ctx, async (tx) => {
      const revoked = await this.db.queryOne(tx, REVOKE_KEY, [
        idOrKey,
        parsed?.publicId ?? null,
        parsed ? hashSecret(parsed.secret) : null,
      ]);
      if (!revoked) throw new IdentityError('API key not found.');
      if (revoked.is_new)
        await this.recordEntry(tx, revoked.org_id, { action: 'key.revoked', object: revoked.id });
      return { keyId: revoked.id, revokedAt: revoked.revoked_at };
    });
  }

  /** Records an audit entry for the organisation, because the context may be that of an operator without organisation. */
  private recordEntry(tx: TxCtx, orgId: string, entry: AuditEntry): Promise<void> {
    return recordAudit(this.db, { ...tx, orgId }, entry);
  }

  /** @returns the mode of a key. @throws IdentityError if the organisation has no such key */
  async modeOfKey(ctx: Ctx | TxCtx, orgId: string, keyId: string): Promise<Mode> {
    const row = await this.db.queryOne(ctx, MODE_OF_KEY, [orgId, keyId]);
    if (row) return row.mode;
    await this.requireOrganisation(ctx, orgId);
    throw new IdentityError(`Organisation ${orgId} has no key ${keyId}.`);
  }

  /** @returns the key with this public id, revoked or not; null if there is none */
  findKey(ctx: Ctx | TxCtx, publicId: string): Promise<ApiKeyRecord | null> {
    return this.db.queryOne(ctx, FIND_KEY, [publicId], 'read');
  }

  /** Records the use of a key; writes at most once a minute across all processes. */
  async noteKeyUse(ctx: Ctx | TxCtx, keyId: string): Promise<void> {
    await this.db.query(ctx, NOTE_KEY_USE, [keyId]);
  }

  /** @returns those of the keys, of any organisation, that are still valid. The check does not count as use. */
  async findOpenKeys(keyIds: readonly string[]): Promise<string[]> {
    const rows = await this.db.query(systemCtx('keys'), FIND_OPEN_KEYS, [[...keyIds]], 'read');
    return rows.map(({ id }) => id);
  }

  /** @throws IdentityError if there is no such organisation */
  async requireOrganisation(ctx: Ctx | TxCtx, orgId: string): Promise<void> {
    const found = await this.db.queryOne(ctx, FIND_ORGANISATION, [orgId]);
    if (!found) throw new IdentityError(`There is no organisation ${orgId}.`);
  }
}

// Source: docs/contract.md#1-identifiers-keys-numbers.
const USE_WRITTEN_EVERY = `interval '1 minute'`;

const INSERT_ORGANISATION = statement(
  'identity.insertOrganisation',
  'INSERT INTO identity.organisations (id, name) VALUES ($1, $2)',
);

const LIST_ORGANISATIONS = statement(
  'identity.listOrganisations',
  `SELECT id, name, ${isoTime('created_at')} AS "createdAt" FROM identity.organisations ORDER BY created_at, id`,
).rows<{ createdAt: string }>();

const LIST_USERS = statement(
  'identity.listUsers',
  `SELECT id, email, ${isoTime('created_at')} AS "createdAt" FROM identity.users
  WHERE org_id = $1 AND removed_at IS NULL ORDER BY created_at, id`,
).rows<{ createdAt: string }>();

const LIST_KEYS = statement(
  'identity.listKeys',
  `
  SELECT id, user_id AS "userId", mode, last_four AS "lastFour", ${isoTime('created_at')} AS "createdAt",
    ${isoTime('last_used_at')} AS "lastUsedAt", ${isoTime('revoked_at')} AS "revokedAt"
  FROM identity.api_keys WHERE org_id = $1 AND kind = 'api' ORDER BY created_at, id`,
).rows<{ createdAt: string }>();

const IS_KEY_REVOKED = statement(
  'identity.isKeyRevoked',
  'SELECT 1 FROM identity.api_keys WHERE id = $1 AND revoked_at IS NULL',
);

const INSERT_USER = statement(
  'identity.insertUser',
  `
  INSERT INTO identity.users (id, org_id, email, password_hash, role)
  SELECT $1, id, $3, $4, $5 FROM identity.organisations WHERE id = $2
  ON CONFLICT (lower(email)) DO NOTHING RETURNING id`,
);

const INSERT_KEY = statement(
  'identity.insertKey',
  `
  INSERT INTO identity.api_keys (id, public_id, secret_sha256, last_four, org_id, user_id, mode)
  SELECT $1, $2, $3, $4, org_id, id, $7 FROM identity.users
  WHERE org_id = $5 AND ($6::text IS NULL OR id = $6) AND removed_at IS NULL
  ORDER BY created_at, id LIMIT 1 FOR SHARE
  RETURNING id, user_id`,
);

const REVOKE_KEY = statement(
  'identity.revokeKey',
  `
  UPDATE identity.api_keys SET revoked_at = coalesce(old.revoked_at, clock_timestamp())
  FROM (SELECT id, revoked_at FROM identity.api_keys
        WHERE id = $1 OR (public_id = $2 AND secret_sha256 = $3) FOR UPDATE) AS old
  WHERE api_keys.id = old.id
  RETURNING api_keys.id, org_id, api_keys.revoked_at, old.revoked_at IS NULL AS is_new`,
).rows<{ revoked_at: Date }>();

const MODE_OF_KEY = statement(
  'identity.modeOfKey',
  'SELECT mode FROM identity.api_keys WHERE org_id = $1 AND id = $2',
);

const FIND_KEY = statement(
  'identity.findKey',
  `
  SELECT k.id, k.org_id AS "orgId", k.user_id AS "userId", k.mode, k.secret_sha256 AS "secretSha256", u.role,
         k.revoked_at IS NOT NULL OR k.expires_at <= clock_timestamp() AS "isRevoked",
         k.last_used_at IS NULL OR k.last_used_at < clock_timestamp() - ${USE_WRITTEN_EVERY} AS "isUseDue"
  FROM identity.api_keys k JOIN identity.users u ON u.id = k.user_id WHERE k.public_id = $1 AND k.kind = 'api'`,
).rows<ApiKeyRecord>();

const FIND_OPEN_KEYS = statement(
  'identity.findOpenKeys',
  `
  SELECT id FROM identity.api_keys WHERE id = ANY ($1::text[])
  AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())`,
);

const NOTE_KEY_USE = statement(
  'identity.noteKeyUse',
  `
  UPDATE identity.api_keys SET last_used_at = clock_timestamp() WHERE id = $1
  AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - ${USE_WRITTEN_EVERY})`,
);

const FIND_ORGANISATION = statement(
  'identity.findOrganisation',
  'SELECT 1 FROM identity.organisations WHERE id = $1',
);
