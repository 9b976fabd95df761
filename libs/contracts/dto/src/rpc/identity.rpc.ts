import type {
  AuditItem,
  KeyItem,
  ListOf,
  MemberItem,
  SessionItem,
  SessionJson,
  UserRole,
} from '../identity.js';
import { defineMethod } from './rpc-method.js';

/** Newly opened session. Only the browser stores the token. */
export interface OpenedSession {
  token: string;
  session: SessionJson;
}

/** Address of a browser, and the number of failed attempts it may make in a quarter of an hour. */
export interface Visitor {
  address: string;
  agent: string | null;
  attempts: { account: number; address: number };
}

/** User on whose behalf a request is made. */
export interface Actor {
  userId: string;
  role: UserRole;
  sessionId: string;
}

/** Calls for sessions, members, keys and the audit log; handled by the services side. */
export const IDENTITY_RPC = {
  openSession: defineMethod<
    { visitor: Visitor } & ({ email: string; password: string } | { link: string }),
    OpenedSession
  >('services.identity.open-session', 'write', 30_000),
  endSession: defineMethod<{ actor: Actor; sessionId: string }, null>(
    'services.identity.end-session',
    'write',
  ),
  changePassword: defineMethod<
    { actor: Actor; visitor: Visitor; currentPassword: string | null; password: string },
    null
  >('services.identity.change-password', 'write', 30_000),
  listSessions: defineMethod<{ actor: Actor }, ListOf<SessionItem>>(
    'services.identity.list-sessions',
    'read',
  ),
  listKeys: defineMethod<{ actor: Actor }, ListOf<KeyItem>>('services.identity.list-keys', 'read'),
  createKey: defineMethod<
    {
      actor: Actor;
      name: string;
      mode: 'live' | 'test';
      expiresAt: string | null;
      capDay: number | null;
      capMonth: number | null;
      /** Optional until gateways of before it are gone. */
      idempotencyKey?: string | null;
    },
    KeyItem & { api_key: string }
  >('services.identity.create-key', 'write'),
  revokeKey: defineMethod<{ actor: Actor; keyId: string }, null>('services.identity.revoke-key', 'write'),
  listMembers: defineMethod<{ actor: Actor }, ListOf<MemberItem>>('services.identity.list-members', 'read'),
  inviteMember: defineMethod<
    { actor: Actor; email: string; role: UserRole },
    { member: MemberItem; token: string; expiresAt: string }
  >('services.identity.invite-member', 'write'),
  changeMember: defineMethod<{ actor: Actor; memberId: string; role: UserRole }, MemberItem>(
    'services.identity.change-member',
    'write',
  ),
  removeMember: defineMethod<{ actor: Actor; memberId: string }, null>(
    'services.identity.remove-member',
    'write',
  ),
  acceptInvitation: defineMethod<
    { visitor: Visitor; token: string; name: string; password: string },
    OpenedSession
  >('services.identity.accept-invitation', 'write', 30_000),
  listAudit: defineMethod<{ actor: Actor; limit: number; cursor: string | null }, ListOf<AuditItem>>(
    'services.identity.list-audit',
    'read',
  ),
} as const;
