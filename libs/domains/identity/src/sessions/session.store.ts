import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  fieldError,
  type Actor,
  type ListOf,
  type OpenedSession,
  type SessionItem,
  type UserRole,
  type Visitor,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { newId, systemCtx, notFound, type Ctx, type Mode } from '@quarry/app';
import { Database, isoTime, recordAudit, type TxCtx } from '@quarry/postgres';
import { PasswordChecks } from '../password-checks.js';
import { hashToken, newToken } from '../secret-token.js';
import { statement } from '../statements.types.js';
import { LoginAttempts, type AttemptLimit } from './login-attempts.js';
import { RECOVERY_TIME, SESSION_ENDS_AT, SESSION_IS_OPEN, SESSION_LENGTH } from './session-life.js';

interface SignedInUser {
  id: string;
  orgId: string;
  email: string;
  role: UserRole;
  orgName: string;
}

/** Opens, lists and ends the sessions of the web application. */
@Injectable()
export class SessionStore {
  constructor(
    private readonly db: Database,
    private readonly attempts: LoginAttempts,
    private readonly passwords: PasswordChecks,
  ) {}

  /**
   * Opens a session by email address and password. An unknown address costs the same work as a wrong password.
   * @throws AppError not_authenticated, the same for every reason; rate_limited
   */
  async openByPassword(
    ctx: Ctx,
    visitor: Visitor,
    { email, password }: { email: string; password: string },
  ): Promise<OpenedSession> {
    const found = await this.db.queryOne(systemCtx(ctx.requestId), FIND_BY_EMAIL, [email]);
    // PostgreSQL folds İ to i, but the attempt counter does not: another spelling would have attempts of its own.
    const user = found?.email.toLowerCase() === email.toLowerCase() ? found : null;
    const limits = [
      { subject: `account:${email.toLowerCase()}`, max: visitor.attempts.account },
      { subject: `address:${visitor.address}`, max: visitor.attempts.address },
    ];
    const isRight = await this.checkPassword(limits, password, user?.password_hash ?? null);
    if (!user || !isRight) throw signInRefused();
    return this.db.transaction(systemCtx(ctx.requestId, user.orgId), (tx) => this.openFor(tx, user, visitor));
  }

  /**
   * Changes the password of a user and ends their other sessions. API keys stay.
   * @param current null only in a session that has begun with a login link within the last hour
   * @throws AppError invalid_request for a wrong current password; rate_limited
   */
  async changePassword(
    ctx: Ctx,
    { userId, sessionId }: Actor,
    { attempts }: Pick<Visitor, 'attempts'>,
    { current, next }: { current: string | null; next: string },
  ): Promise<void> {
    const user = await this.db.queryOne(ctx, FIND_PASSWORD, [ctx.orgId, userId, sessionId]);
    if (!user) throw notFound('session');
    if (current === null && !user.is_recovering) throw fieldError(['current_password'], 'is required');
    // Whoever finds a browser that is signed in has as few guesses as anybody who signs in.
    const limits = [{ subject: `account:${user.email.toLowerCase()}`, max: attempts.account }];
    if (current !== null && !(await this.checkPassword(limits, current, user.password_hash)))
      throw fieldError(['current_password'], 'is wrong');
    const hash = await this.passwords.hashPassword(next);
    await this.db.transaction(ctx, async (tx) => {
      await this.db.query(tx, SET_PASSWORD, [ctx.orgId, userId, hash]);
      await this.db.query(tx, END_OTHERS, [ctx.orgId, userId, sessionId]);
      await recordAudit(this.db, tx, { action: 'password.changed', object: userId });
    });
  }

  /** Opens a session by a login link, which works once. @throws AppError not_authenticated, rate_limited */
  async openByLink(ctx: Ctx, visitor: Visitor, link: string): Promise<OpenedSession> {
    const forget = await this.attempts.countAttempt([
      { subject: `address:${visitor.address}`, max: visitor.attempts.address },
    ]);
    const opened = await this.db.transaction(systemCtx(ctx.requestId), async (tx) => {
      const user = await this.db.queryOne(tx, USE_LOGIN_LINK, [hashToken(link)]);
      return user && this.openFor(tx, user, visitor, true);
    });
    if (!opened) throw signInRefused();
    await forget();
    return opened;
  }

  /** Opens a session for an authenticated user, in the caller's transaction. */
  async openFor(tx: TxCtx, user: SignedInUser, visitor: Visitor, isByLink = false): Promise<OpenedSession> {
    await this.db.query(tx, FORGET_ENDED, [user.id]);
    const [liveKeyId, testKeyId] = [
      await this.appKeyOf(tx, user, 'live'),
      await this.appKeyOf(tx, user, 'test'),
    ];
    const token = newToken();
    const made = await this.db.queryOne(tx, INSERT, [
      newId('session'),
      hashToken(token),
      user.orgId,
      user.id,
      liveKeyId,
      testKeyId,
      visitor.address,
      visitor.agent,
      isByLink,
    ]);
    const by = { ...tx, orgId: user.orgId, keyId: liveKeyId, address: visitor.address };
    await recordAudit(this.db, by, { action: 'session.opened', object: made!.id, facts: { user: user.id } });
    return {
      token,
      session: {
        user: { id: user.id, email: user.email, role: user.role },
        organisation: { id: user.orgId, name: user.orgName },
        expires_at: made!.expires_at,
      },
    };
  }

  /** @returns the open sessions of the user, newest first */
  async listSessions(ctx: Ctx, { userId, sessionId }: Actor): Promise<ListOf<SessionItem>> {
    const rows = await this.db.query(ctx, LIST, [ctx.orgId, userId]);
    return { items: rows.map((row) => ({ ...row, current: row.id === sessionId })), next_cursor: null };
  }

  /** Ends a session of the user. @throws AppError not_found */
  async endSession(ctx: Ctx, { userId }: Actor, sessionId: string): Promise<void> {
    await this.db.transaction(ctx, async (tx) => {
      const ended = await this.db.queryOne(tx, END, [ctx.orgId, userId, sessionId]);
      if (!ended) throw notFound('session');
      await recordAudit(this.db, tx, { action: 'session.ended', object: sessionId, facts: { user: userId } });
    });
  }

  /** Checks a password; a wrong one counts as an attempt, and one that was not checked does not. @throws AppError rate_limited */
  private async checkPassword(
    limits: readonly AttemptLimit[],
    password: string,
    stored: string | null,
  ): Promise<boolean> {
    const forget = await this.attempts.countAttempt(limits);
    let isWrong = false;
    try {
      isWrong = !(await this.passwords.verifyPassword(password, stored));
      return !isWrong;
    } finally {
      if (!isWrong) await forget();
    }
  }

  /** Returns the internal key of a user, whose secret nobody knows: runs, caps and the audit log identify the user by it. */
  private async appKeyOf(tx: TxCtx, user: SignedInUser, mode: Mode): Promise<string> {
    await this.db.query(tx, INSERT_APP_KEY, [newId('key'), randomBytes(32), user.orgId, user.id, mode]);
    const key = await this.db.queryOne(tx, FIND_APP_KEY, [user.orgId, user.id, mode]);
    return key!.id;
  }
}

/** @returns the single error for all failed sign-ins, so that it does not reveal who has an account */
export function signInRefused(): AppError {
  return new AppError('not_authenticated', 'The e-mail address, the password or the link is wrong.', {
    headers: { 'WWW-Authenticate': 'Cookie realm="quarry", cookie-name="__Host-quarry"' },
  });
}

const FIND_BY_EMAIL = statement(
  'session.findByEmail',
  `
  SELECT u.id, u.org_id AS "orgId", u.email, u.role, u.password_hash, o.name AS "orgName"
  FROM identity.users u JOIN identity.organisations o ON o.id = u.org_id
  WHERE lower(u.email) = lower($1) AND u.removed_at IS NULL`,
).rows<{ role: UserRole }>();

const USE_LOGIN_LINK = statement(
  'session.useLoginLink',
  `
  WITH used AS (
    DELETE FROM identity.login_links WHERE token_sha256 = $1 AND ends_at > clock_timestamp() RETURNING user_id)
  SELECT u.id, u.org_id AS "orgId", u.email, u.role, o.name AS "orgName"
  FROM used JOIN identity.users u ON u.id = used.user_id JOIN identity.organisations o ON o.id = u.org_id
  WHERE u.removed_at IS NULL`,
).rows<{ role: UserRole }>();

const FORGET_ENDED = statement(
  'session.forgetEnded',
  `DELETE FROM identity.sessions s WHERE s.user_id = $1 AND NOT (${SESSION_IS_OPEN})`,
);

const INSERT = statement(
  'session.insert',
  `
  INSERT INTO identity.sessions AS s
    (id, token_sha256, org_id, user_id, live_key_id, test_key_id, address, agent, is_by_link, ends_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, left($8, 300), $9, clock_timestamp() + ${SESSION_LENGTH})
  RETURNING s.id, ${isoTime(SESSION_ENDS_AT)} AS expires_at`,
).rows<{ expires_at: string }>();

const LIST = statement(
  'session.list',
  `
  SELECT s.id, ${isoTime('s.created_at')} AS created_at, ${isoTime('s.last_seen_at')} AS last_seen_at,
    ${isoTime(SESSION_ENDS_AT)} AS expires_at, s.address, s.agent
  FROM identity.sessions s WHERE s.org_id = $1 AND s.user_id = $2 AND ${SESSION_IS_OPEN}
  ORDER BY s.created_at DESC, s.id`,
).rows<{ created_at: string; last_seen_at: string; expires_at: string }>();

const END = statement(
  'session.end',
  `
  UPDATE identity.sessions SET ended_at = clock_timestamp()
  WHERE org_id = $1 AND user_id = $2 AND id = $3 AND ended_at IS NULL RETURNING id`,
);

const FIND_PASSWORD = statement(
  'session.findPassword',
  `
  SELECT u.email, u.password_hash,
    (s.is_by_link AND s.created_at > clock_timestamp() - ${RECOVERY_TIME}) AS is_recovering
  FROM identity.users u JOIN identity.sessions s ON s.user_id = u.id AND s.org_id = u.org_id
  WHERE u.org_id = $1 AND u.id = $2 AND s.id = $3 AND u.removed_at IS NULL`,
).rows<{ is_recovering: boolean }>();

const SET_PASSWORD = statement(
  'session.setPassword',
  'UPDATE identity.users SET password_hash = $3 WHERE org_id = $1 AND id = $2',
);

const END_OTHERS = statement(
  'session.endOthers',
  `
  UPDATE identity.sessions SET ended_at = clock_timestamp()
  WHERE org_id = $1 AND user_id = $2 AND id <> $3 AND ended_at IS NULL`,
);

const INSERT_APP_KEY = statement(
  'session.insertAppKey',
  `
  INSERT INTO identity.api_keys (id, public_id, secret_sha256, last_four, org_id, user_id, mode, kind)
  VALUES ($1, $1, sha256($2), '', $3, $4, $5, 'app')
  ON CONFLICT (user_id, mode) WHERE kind = 'app' AND revoked_at IS NULL DO NOTHING`,
);

const FIND_APP_KEY = statement(
  'session.findAppKey',
  `
  SELECT id FROM identity.api_keys
  WHERE org_id = $1 AND user_id = $2 AND mode = $3 AND kind = 'app' AND revoked_at IS NULL`,
);
