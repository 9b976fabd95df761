import { Injectable } from '@nestjs/common';
import type { Actor, ListOf, MemberItem, OpenedSession, UserRole, Visitor } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { newId, systemCtx, type Ctx } from '@quarry/app';
import { Database, isoTime, recordAudit, type TxCtx } from '@quarry/postgres';
import { PasswordChecks } from '../password-checks.js';
import { hashToken, newToken } from '../secret-token.js';
import { LoginAttempts } from '../sessions/login-attempts.js';
import { SessionStore, signInRefused } from '../sessions/session.store.js';
import { statement } from '../statements.types.js';
import { lockUser } from './user-lock.js';

/** Members and invitations of an organisation. */
@Injectable()
export class MemberStore {
  constructor(
    private readonly db: Database,
    private readonly attempts: LoginAttempts,
    private readonly passwords: PasswordChecks,
    private readonly sessions: SessionStore,
  ) {}

  /** @returns the members, oldest first, followed by the invitations */
  async listMembers(ctx: Ctx): Promise<ListOf<MemberItem>> {
    return { items: await this.db.query(ctx, LIST, [ctx.orgId]), next_cursor: null };
  }

  /**
   * Invites a person; a new invitation for the same address replaces the previous one.
   * @returns the token of the invitation link, which is not stored
   * @throws AppError invalid_request if there is an account with this address already; not_found if the inviting user is no
   *   longer an owner
   */
  async inviteMember(
    ctx: Ctx,
    actor: Actor,
    { email, role }: { email: string; role: UserRole },
  ): Promise<{ member: MemberItem; token: string; expiresAt: string }> {
    const token = newToken();
    const made = await this.db.transaction(ctx, async (tx) => {
      await lockUser(this.db, tx, actor);
      await this.db.query(tx, FORGET_OLD_INVITATIONS, [ctx.orgId]);
      const invitation = await this.db.queryOne(tx, INVITE, [
        newId('inv'),
        hashToken(token),
        ctx.orgId,
        email,
        role,
        actor.userId,
      ]);
      // Checked below the insertion, which waits if the earlier invitation of the address is being accepted.
      if (await this.isMember(tx, email)) throw addressInUse();
      const facts = { role, invited_by: actor.userId };
      await recordAudit(this.db, tx, { action: 'member.invited', object: invitation!.id, facts });
      return invitation!;
    });
    const { expires_at: expiresAt, id, created_at } = made;
    return { token, expiresAt, member: { id, email, name: null, role, status: 'invited', created_at } };
  }

  /**
   * Creates an account from an invitation and opens its first session. An invitation works once.
   * @throws AppError not_authenticated for an invalid or used token; rate_limited; invalid_request if the address has an
   *   account in another organisation
   */
  async acceptInvitation(
    ctx: Ctx,
    visitor: Visitor,
    { token, name, password }: { token: string; name: string; password: string },
  ): Promise<OpenedSession> {
    const forget = await this.attempts.countAttempt([
      { subject: `address:${visitor.address}`, max: visitor.attempts.address },
    ]);
    const system = systemCtx(ctx.requestId);
    // Checked before the password is hashed, which is expensive, so that an invalid token costs little.
    if (!(await this.db.queryOne(system, FIND_INVITATION, [hashToken(token)]))) throw signInRefused();
    const passwordHash = await this.passwords.hashPassword(password);
    const opened = await this.db.transaction(system, async (tx) => {
      const invitation = await this.db.queryOne(tx, USE_INVITATION, [hashToken(token)]);
      if (!invitation) throw signInRefused();
      const { orgId, email, role, orgName } = invitation;
      const made = await this.db.queryOne(tx, INSERT_MEMBER, [
        newId('usr'),
        orgId,
        email,
        passwordHash,
        name,
        role,
      ]);
      if (!made) throw addressInUse();
      const facts = { role, invitation: invitation.id };
      await recordAudit(this.db, { ...tx, orgId }, { action: 'member.joined', object: made.id, facts });
      return this.sessions.openFor(tx, { id: made.id, orgId, email, role, orgName }, visitor);
    });
    await forget();
    return opened;
  }

  /** Changes the role of a member. A former owner's open invitations are deleted. @throws AppError not_found; invalid_request for the last owner */
  async changeMember(ctx: Ctx, memberId: string, role: UserRole): Promise<MemberItem> {
    return this.db.transaction(ctx, async (tx) => {
      if (role !== 'owner') await this.requireOwnerBeside(tx, memberId);
      const changed = await this.db.queryOne(tx, CHANGE_ROLE, [ctx.orgId, memberId, role]);
      if (!changed) throw noSuchMember();
      if (role !== 'owner') await this.endInvitationsOf(tx, memberId);
      await recordAudit(this.db, tx, { action: 'member.role_changed', object: memberId, facts: { role } });
      return changed;
    });
  }

  /**
   * Removes a member with their sessions, keys and invitations, or revokes an invitation.
   * @throws AppError not_found; invalid_request for the last owner
   */
  async removeMember(ctx: Ctx, memberId: string): Promise<void> {
    await this.db.transaction(ctx, async (tx) => {
      await this.requireOwnerBeside(tx, memberId);
      const isInvitation = await this.db.queryOne(tx, DELETE_INVITATION, [ctx.orgId, memberId]);
      const removed = isInvitation ?? (await this.db.queryOne(tx, REMOVE, [ctx.orgId, memberId]));
      if (!removed) throw noSuchMember();
      const revoked = isInvitation ? [] : await this.db.query(tx, REVOKE_KEYS, [ctx.orgId, memberId]);
      for (const { id } of revoked)
        await recordAudit(this.db, tx, { action: 'key.revoked', object: id, facts: { user: memberId } });
      await recordAudit(this.db, tx, { action: 'member.removed', object: memberId });
      await this.endInvitationsOf(tx, memberId);
    });
  }

  /** Deletes the open invitations of a former owner: only an owner may let people in. */
  private async endInvitationsOf(tx: TxCtx, userId: string): Promise<void> {
    const ended = await this.db.query(tx, DELETE_INVITATIONS_OF, [tx.orgId, userId]);
    for (const { id } of ended)
      await recordAudit(this.db, tx, { action: 'member.removed', object: id, facts: { invited_by: userId } });
  }

  private async isMember(tx: TxCtx, email: string): Promise<boolean> {
    return (await this.db.queryOne(tx, FIND_MEMBER_BY_EMAIL, [tx.orgId, email])) !== null;
  }

  /** Refuses to remove the last owner. The lock serialises two concurrent removals, so that the second one is refused. */
  private async requireOwnerBeside(tx: TxCtx, memberId: string): Promise<void> {
    const owners = await this.db.query(tx, LOCK_OWNERS, [tx.orgId]);
    if (owners.length === 1 && owners[0]!.id === memberId)
      throw new AppError(
        'invalid_request',
        'An organisation needs an owner: make another member an owner first.',
      );
  }
}

function addressInUse(): AppError {
  return new AppError('invalid_request', 'email: an account with this address already exists.', {
    details: [{ path: 'email', message: 'already has an account' }],
  });
}

function noSuchMember(): AppError {
  return new AppError('not_found', 'Member not found.');
}

const LIST = statement(
  'member.list',
  `
  SELECT id, email, name, role, status, ${isoTime('made_at')} AS created_at FROM (
    SELECT id, email, name, role, 'active' AS status, created_at AS made_at
    FROM identity.users WHERE org_id = $1 AND removed_at IS NULL
    UNION ALL
    SELECT id, email, NULL, role, 'invited', created_at
    FROM identity.invitations WHERE org_id = $1 AND ends_at > clock_timestamp()
  ) AS people ORDER BY status, made_at, id`,
).rows<{ id: string; email: string; role: UserRole; status: MemberItem['status']; created_at: string }>();

const FORGET_OLD_INVITATIONS = statement(
  'member.forgetOldInvitations',
  'DELETE FROM identity.invitations WHERE org_id = $1 AND ends_at < clock_timestamp()',
);

const FIND_MEMBER_BY_EMAIL = statement(
  'member.findByEmail',
  'SELECT 1 FROM identity.users WHERE org_id = $1 AND lower(email) = lower($2) AND removed_at IS NULL',
);

const INVITE = statement(
  'member.invite',
  `
  INSERT INTO identity.invitations (id, token_sha256, org_id, email, role, invited_by, ends_at)
  VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + interval '7 days')
  ON CONFLICT (org_id, lower(email)) DO UPDATE SET id = excluded.id, token_sha256 = excluded.token_sha256,
    role = excluded.role, invited_by = excluded.invited_by, ends_at = excluded.ends_at, created_at = clock_timestamp()
  RETURNING id, ${isoTime('created_at')} AS created_at, ${isoTime('ends_at')} AS expires_at`,
).rows<{ created_at: string; expires_at: string }>();

const FIND_INVITATION = statement(
  'member.findInvitation',
  'SELECT 1 FROM identity.invitations WHERE token_sha256 = $1 AND ends_at > clock_timestamp()',
);

const USE_INVITATION = statement(
  'member.useInvitation',
  `
  WITH used AS (
    DELETE FROM identity.invitations WHERE token_sha256 = $1 AND ends_at > clock_timestamp()
    RETURNING id, org_id, email, role)
  SELECT used.id, used.org_id AS "orgId", used.email, used.role, o.name AS "orgName"
  FROM used JOIN identity.organisations o ON o.id = used.org_id`,
).rows<{ role: UserRole }>();

const INSERT_MEMBER = statement(
  'member.insert',
  `
  INSERT INTO identity.users (id, org_id, email, password_hash, name, role) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (lower(email)) DO NOTHING RETURNING id`,
);

const LOCK_OWNERS = statement(
  'member.lockOwners',
  `
  SELECT id FROM identity.users WHERE org_id = $1 AND role = 'owner' AND removed_at IS NULL
  ORDER BY id FOR UPDATE`,
);

const CHANGE_ROLE = statement(
  'member.changeRole',
  `
  UPDATE identity.users SET role = $3 WHERE org_id = $1 AND id = $2 AND removed_at IS NULL
  RETURNING id, email, name, role, 'active' AS status, ${isoTime('created_at')} AS created_at`,
).rows<{ role: UserRole; status: 'active'; created_at: string }>();

const DELETE_INVITATION = statement(
  'member.deleteInvitation',
  'DELETE FROM identity.invitations WHERE org_id = $1 AND id = $2 RETURNING id',
);

const DELETE_INVITATIONS_OF = statement(
  'member.deleteInvitationsOf',
  'DELETE FROM identity.invitations WHERE org_id = $1 AND invited_by = $2 RETURNING id',
);

// Frees the address; RFC 6761 reserves .invalid. Sessions end because removed_at is set.
const REMOVE = statement(
  'member.remove',
  `
  UPDATE identity.users SET removed_at = clock_timestamp(), email = 'removed@' || replace(id, '_', '-') || '.invalid',
    name = NULL, password_hash = ''
  WHERE org_id = $1 AND id = $2 AND removed_at IS NULL RETURNING id`,
);

const REVOKE_KEYS = statement(
  'member.revokeKeys',
  `
  UPDATE identity.api_keys SET revoked_at = clock_timestamp()
  WHERE org_id = $1 AND user_id = $2 AND revoked_at IS NULL RETURNING id`,
);
