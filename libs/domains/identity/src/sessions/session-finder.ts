import { Injectable } from '@nestjs/common';
import type { SessionJson, UserRole } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { Database, isoTime } from '@quarry/postgres';
import { hashToken } from '../secret-token.js';
import { statement } from '../statements.types.js';
import { SESSION_ENDS_AT, SESSION_IS_OPEN } from './session-life.js';

/** An open session, with the attributes of its user by which the edge authorises a request. */
export interface OpenSession {
  id: string;
  orgId: string;
  userId: string;
  role: UserRole;
  /** Keys under which this user's requests are made in each mode. */
  keyIds: { live: string; test: string };
  shown: SessionJson;
}

const ctx = systemCtx('session');

/** Finds the session of a browser. Never cached: an ended session is rejected everywhere immediately. */
@Injectable()
export class SessionFinder {
  constructor(private readonly db: Database) {}

  /** @returns the open session of a token, or null; records its use at most once a minute */
  async findSession(token: string): Promise<OpenSession | null> {
    const tokenSha256 = hashToken(token);
    const row = await this.db.queryOne(ctx, FIND, [tokenSha256], 'read');
    if (!row) return null;
    if (row.is_use_due) await this.db.query(ctx, NOTE_USE, [tokenSha256]);
    return {
      id: row.id,
      orgId: row.org_id,
      userId: row.user_id,
      role: row.role,
      keyIds: { live: row.live_key_id, test: row.test_key_id },
      shown: {
        user: { id: row.user_id, email: row.email, role: row.role },
        organisation: { id: row.org_id, name: row.org_name },
        expires_at: row.expires_at,
      },
    };
  }

  /** @returns those of the sessions, of any organisation, that are open. The check does not count as use. */
  async openAmong(sessionIds: readonly string[]): Promise<string[]> {
    const rows = await this.db.query(systemCtx('session'), OPEN_AMONG, [[...sessionIds]], 'read');
    return rows.map(({ id }) => id);
  }
}

const USE_WRITTEN_EVERY = `interval '1 minute'`;

const FIND = statement(
  'session-finder.find',
  `
  SELECT s.id, s.org_id, s.user_id, s.live_key_id, s.test_key_id, u.role, u.email, o.name AS org_name,
    ${isoTime(SESSION_ENDS_AT)} AS expires_at, s.last_seen_at < clock_timestamp() - ${USE_WRITTEN_EVERY} AS is_use_due
  FROM identity.sessions s
  JOIN identity.users u ON u.id = s.user_id
  JOIN identity.organisations o ON o.id = s.org_id
  WHERE s.token_sha256 = $1 AND ${SESSION_IS_OPEN} AND u.removed_at IS NULL`,
)
  .rows<{ role: UserRole; expires_at: string; is_use_due: boolean }>()
  .prepared();

const OPEN_AMONG = statement(
  'session-finder.openAmong',
  `
  SELECT s.id FROM identity.sessions s JOIN identity.users u ON u.id = s.user_id
  WHERE s.id = ANY ($1::text[]) AND ${SESSION_IS_OPEN} AND u.removed_at IS NULL`,
);

const NOTE_USE = statement(
  'session-finder.noteUse',
  `
  UPDATE identity.sessions SET last_seen_at = clock_timestamp()
  WHERE token_sha256 = $1 AND last_seen_at < clock_timestamp() - ${USE_WRITTEN_EVERY}`,
);
