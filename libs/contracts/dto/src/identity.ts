import { IsEmail, IsIn, IsPositive, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { IsCredits } from './credits.js';
import { IsName } from './is-name.js';
import { Optional } from './optional.js';
import { IsUtcTime } from './utc-time.js';

/** Roles of a user in an organisation, the most powerful first. Source: docs/contract.md#10-the-web-application. */
export const USER_ROLES = ['owner', 'member', 'viewer'] as const;
export type UserRole = (typeof USER_ROLES)[number];

const EMAIL_MAX = 254;
/** Maximum length of a password: scrypt reads all of it at no extra cost, but nobody types a longer one. */
const PASSWORD_MAX = 1000;
/** Pattern of 256 bits in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const MODES = ['live', 'test'] as const;

/** Body of POST /app/api/session: address and password, or the token of a login link. */
export class OpenSessionRequest {
  @Optional() @IsString() @MaxLength(EMAIL_MAX) email?: string;
  @Optional() @IsString() @MaxLength(PASSWORD_MAX) password?: string;
  @Optional() @IsString() @MaxLength(PASSWORD_MAX) link?: string;
}

const PASSWORD_MIN = 10;

/** Body of PUT /app/api/session/password. A session that has just begun with a login link needs no current password. */
export class ChangePasswordRequest {
  @Optional() @IsString() @MaxLength(PASSWORD_MAX) current_password?: string;
  @IsString() @MinLength(PASSWORD_MIN) @MaxLength(PASSWORD_MAX) password!: string;
}

/** Body of POST /app/api/keys. Caps in credits. */
export class CreateKeyRequest {
  @IsName(100) name!: string;
  @IsIn(MODES) mode!: (typeof MODES)[number];
  @Optional() @IsString() @IsUtcTime() expires_at?: string;
  @Optional() @IsCredits() @IsPositive() cap_day?: number;
  @Optional() @IsCredits() @IsPositive() cap_month?: number;
}

/** Body of POST /app/api/members. */
export class InviteMemberRequest {
  @IsEmail({ require_tld: false }) @MaxLength(EMAIL_MAX) email!: string;
  @IsIn(USER_ROLES) role!: UserRole;
}

/** Body of PATCH /app/api/members/{id}. */
export class ChangeMemberRequest {
  @IsIn(USER_ROLES) role!: UserRole;
}

/** Body of POST /app/api/invitations. */
export class AcceptInvitationRequest {
  @IsString() @Matches(TOKEN, { message: 'token must be the token of the invitation link' }) token!: string;
  @IsName(100) name!: string;
  @IsString() @MinLength(PASSWORD_MIN) @MaxLength(PASSWORD_MAX) password!: string;
}

/** Session of a browser, as shown to the user. */
export interface SessionJson {
  user: { id: string; email: string; role: UserRole };
  organisation: { id: string; name: string };
  expires_at: string;
}

/** Session in the list of the user's own sessions. */
export interface SessionItem {
  id: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  address: string | null;
  agent: string | null;
  current: boolean;
}

/** API key as shown to users. */
export interface KeyItem {
  id: string;
  name: string | null;
  mode: 'live' | 'test';
  last_four: string;
  user: { id: string; email: string };
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  cap_day: number | null;
  cap_month: number | null;
}

/** Person of the organisation; `invited` has no account yet. */
export interface MemberItem {
  id: string;
  email: string;
  name: string | null;
  role: UserRole;
  status: 'active' | 'invited';
  created_at: string;
}

/** Entry of the audit log. */
export interface AuditItem {
  number: number;
  at: string;
  actor: { kind: 'user' | 'key' | 'operator'; id: string | null; email: string | null };
  mode: 'live' | 'test';
  action: string;
  object: string;
  address: string | null;
  request_id: string;
  facts: Record<string, string | number | boolean | null>;
}

/** List with cursor pagination. */
export interface ListOf<Item> {
  items: Item[];
  next_cursor: string | null;
}
