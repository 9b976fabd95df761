import { Injectable } from '@nestjs/common';
import { IDENTITY_RPC, type Actor, type KeyItem, type ListOf } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { newId, notFound, type Ctx, type Mode } from '@quarry/app';
import { Database, IdempotentRequests, isoTime, recordAudit } from '@quarry/postgres';
import { lockUser } from '../members/user-lock.js';
import { statement } from '../statements.types.js';
import { hashSecret, newApiKey, parseApiKey } from './api-key.format.js';
import { KeyCapsPort } from './key-caps.port.js';

/** API keys as users create and revoke them: owners manage all keys, other roles their own. */
@Injectable()
export class UserKeysStore {
  constructor(
    private readonly db: Database,
    private readonly requests: IdempotentRequests,
    private readonly caps: KeyCapsPort,
  ) {}

  /** @returns the valid keys that the user may see, oldest first */
  async listKeys(ctx: Ctx, actor: Actor): Promise<ListOf<KeyItem>> {
    const rows = await this.db.query(ctx, LIST, [ctx.orgId, ownKeysOf(actor), null]);
    const items = await Promise.all(rows.map((row) => this.toKeyItem(ctx, row)));
    return { items, next_cursor: null };
  }

  /**
   * Creates a key for the user. The same idempotency key with the same body gives the same key another secret, because the first
   * one is not stored, and a client that has lost its answer cannot use it.
   * @returns the key with its text
   * @throws AppError invalid_request, not_found; idempotency_conflict, also if the key is in use or revoked
   */
  async createKey(
    ctx: Ctx,
    actor: Actor,
    wanted: { name: string; mode: Mode; expiresAt: string | null; day: number | null; month: number | null },
    idempotencyKey: string | null = null,
  ): Promise<KeyItem & { api_key: string }> {
    const apiKey = newApiKey(wanted.mode);
    const parsed = parseApiKey(apiKey)!;
    const newKeyId = newId('key');
    const ofKey: Ctx = { ...ctx, mode: wanted.mode };
    const route = `${IDENTITY_RPC.createKey.pattern} ${actor.userId}`;
    const secret = [parsed.publicId, hashSecret(parsed.secret), apiKey.slice(-4)] as const;
    const request = { route, key: idempotencyKey, body: wanted };
    const { id: keyId } = await this.requests.inTransaction(ofKey, request, async (tx) => {
      await lockUser(this.db, tx, actor);
      const made = await this.db.queryOne(tx, INSERT, [
        newKeyId,
        ...secret,
        ctx.orgId,
        actor.userId,
        wanted.mode,
        wanted.name,
        wanted.expiresAt,
      ]);
      if (!made) throw expiresInThePast();
      const { day, month } = wanted;
      if (day !== null || month !== null) await this.caps.setCaps(tx, newKeyId, { day, month });
      const facts = { user: actor.userId, mode: wanted.mode };
      await recordAudit(this.db, tx, { action: 'key.created', object: newKeyId, facts });
      return { id: newKeyId };
    });
    if (keyId !== newKeyId) await this.replaceSecret(ofKey, keyId, secret);
    const [row] = await this.db.query(ctx, LIST, [ctx.orgId, actor.userId, keyId]);
    return { ...(await this.toKeyItem(ctx, row!)), api_key: apiKey };
  }

  /** Revokes a key that the user may see; it is rejected everywhere within 5 s. @throws AppError not_found */
  async revokeKey(ctx: Ctx, actor: Actor, keyId: string): Promise<void> {
    await this.db.transaction(ctx, async (tx) => {
      const revoked = await this.db.queryOne(tx, REVOKE, [ctx.orgId, ownKeysOf(actor), keyId]);
      if (!revoked) throw notFound('key');
      await recordAudit(this.db, tx, { action: 'key.revoked', object: keyId });
    });
  }

  private async replaceSecret(
    ctx: Ctx,
    keyId: string,
    secret: readonly [string, Buffer, string],
  ): Promise<void> {
    await this.db.transaction(ctx, async (tx) => {
      if (!(await this.db.queryOne(tx, REPLACE_SECRET, [keyId, ...secret])))
        throw new AppError('idempotency_conflict', 'This key was created before, and is in use or revoked.');
      await recordAudit(this.db, tx, { action: 'key.secret_replaced', object: keyId });
    });
  }

  private async toKeyItem(ctx: Ctx, row: (typeof LIST)['types']['row']): Promise<KeyItem> {
    const { user_id: id, email, ...key } = row;
    const { day, month } = await this.caps.capsOf({ ...ctx, mode: key.mode }, key.id);
    return { ...key, user: { id, email }, cap_day: day, cap_month: month };
  }
}

/** @returns the id of the user if only their own keys are accessible; null if all are */
function ownKeysOf({ userId, role }: Actor): string | null {
  return role === 'owner' ? null : userId;
}

function expiresInThePast(): AppError {
  return new AppError('invalid_request', 'expires_at must be in the future.', {
    details: [{ path: 'expires_at', message: 'must be in the future' }],
  });
}

const LIST = statement(
  'user-keys.list',
  `
  SELECT k.id, k.name, k.mode, k.last_four, k.user_id, u.email, ${isoTime('k.created_at')} AS created_at,
    ${isoTime('k.last_used_at')} AS last_used_at, ${isoTime('k.expires_at')} AS expires_at
  FROM identity.api_keys k JOIN identity.users u ON u.id = k.user_id
  WHERE k.org_id = $1 AND ($2::text IS NULL OR k.user_id = $2) AND ($3::text IS NULL OR k.id = $3)
    AND k.kind = 'api' AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
  ORDER BY k.created_at, k.id`,
).rows<{ created_at: string }>();

const INSERT = statement(
  'user-keys.insert',
  `
  INSERT INTO identity.api_keys
    (id, public_id, secret_sha256, last_four, org_id, user_id, mode, name, expires_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9::timestamptz
  WHERE $9::timestamptz IS NULL OR $9::timestamptz > clock_timestamp()
  RETURNING id`,
);

const REPLACE_SECRET = statement(
  'user-keys.replaceSecret',
  `UPDATE identity.api_keys SET public_id = $2, secret_sha256 = $3, last_four = $4
   WHERE id = $1 AND last_used_at IS NULL AND revoked_at IS NULL RETURNING id`,
);

const REVOKE = statement(
  'user-keys.revoke',
  `
  UPDATE identity.api_keys SET revoked_at = clock_timestamp()
  WHERE org_id = $1 AND ($2::text IS NULL OR user_id = $2) AND id = $3 AND kind = 'api' AND revoked_at IS NULL
  RETURNING id`,
);
