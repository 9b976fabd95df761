// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'audit-pages.list': {
    params: readonly [string | null, number | string | null, number | string | null];
    row: {
      number: string | null;
      at: string | null;
      actor_kind: string | null;
      actor_id: string | null;
      email: string | null;
      mode: 'live' | 'test' | null;
      action: string | null;
      object: string | null;
      address: string | null;
      request_id: string | null;
      facts: unknown;
    };
  };
  'identity.findKey': {
    params: readonly [string | null];
    row: {
      id: string;
      org_id: string;
      user_id: string;
      mode: 'live' | 'test';
      secret_sha256: Buffer;
      is_revoked: boolean | null;
      is_use_due: boolean | null;
    };
  };
  'identity.findOpenKeys': {
    params: readonly [string | null, ReadonlyArray<string | null> | null];
    row: { id: string };
  };
  'identity.findOrganisation': { params: readonly [string | null]; row: { '?column?': number | null } };
  'identity.insertKey': {
    params: readonly [
      string | null,
      string | null,
      Buffer | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { id: string; user_id: string };
  };
  'identity.insertOrganisation': {
    params: readonly [string | null, string | null];
    row: Record<never, unknown>;
  };
  'identity.insertUser': {
    params: readonly [string | null, string | null, string | null, string | null, string | null];
    row: { id: string };
  };
  'identity.isKeyRevoked': { params: readonly [string | null]; row: { '?column?': number | null } };
  'identity.listKeys': {
    params: readonly [string | null];
    row: {
      id: string;
      userId: string;
      mode: 'live' | 'test';
      lastFour: string;
      createdAt: string | null;
      lastUsedAt: string | null;
      revokedAt: string | null;
    };
  };
  'identity.listOrganisations': {
    params: readonly [];
    row: { id: string; name: string; createdAt: string | null };
  };
  'identity.listUsers': {
    params: readonly [string | null];
    row: { id: string; email: string; createdAt: string | null };
  };
  'identity.modeOfKey': { params: readonly [string | null, string | null]; row: { mode: 'live' | 'test' } };
  'identity.noteKeyUse': { params: readonly [string | null]; row: Record<never, unknown> };
  'identity.revokeKey': {
    params: readonly [string | null, string | null, Buffer | null];
    row: { id: string; org_id: string; revoked_at: Date | null; is_new: boolean | null };
  };
  'login-attempts.count': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { place: string | null; attempts: number | null; wait_seconds: number | null };
  };
  'login-attempts.forget': {
    params: readonly [ReadonlyArray<number | string | null> | null];
    row: Record<never, unknown>;
  };
  'login-attempts.forgetOld': { params: readonly []; row: Record<never, unknown> };
  'login-attempts.insert': { params: readonly [ReadonlyArray<string | null> | null]; row: { id: string } };
  'login-attempts.lock': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { pg_advisory_xact_lock: string | null };
  };
  'login-link.forgetOld': { params: readonly []; row: Record<never, unknown> };
  'login-link.insert': { params: readonly [Buffer | null, string | null]; row: { ends_at: string | null } };
  'member.changeRole': {
    params: readonly [string | null, string | null, string | null];
    row: {
      id: string;
      email: string;
      name: string | null;
      role: 'owner' | 'member' | 'viewer';
      status: string | null;
      created_at: string | null;
    };
  };
  'member.deleteInvitation': { params: readonly [string | null, string | null]; row: { id: string } };
  'member.findByEmail': {
    params: readonly [string | null, string | null];
    row: { '?column?': number | null };
  };
  'member.findInvitation': { params: readonly [Buffer | null]; row: { '?column?': number | null } };
  'member.forgetOldInvitations': { params: readonly [string | null]; row: Record<never, unknown> };
  'member.insert': {
    params: readonly [
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { id: string };
  };
  'member.invite': {
    params: readonly [
      string | null,
      Buffer | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { id: string; created_at: string | null; expires_at: string | null };
  };
  'member.list': {
    params: readonly [string | null];
    row: {
      id: string | null;
      email: string | null;
      name: string | null;
      role: string | null;
      status: string | null;
      created_at: string | null;
    };
  };
  'member.lockOwners': { params: readonly [string | null]; row: { id: string } };
  'member.remove': { params: readonly [string | null, string | null]; row: { id: string } };
  'member.revokeKeys': { params: readonly [string | null, string | null]; row: { id: string } };
  'member.useInvitation': {
    params: readonly [Buffer | null];
    row: { id: string; orgId: string; email: string; role: 'owner' | 'member' | 'viewer'; orgName: string };
  };
  'session-finder.find': {
    params: readonly [Buffer | null];
    row: {
      id: string;
      org_id: string;
      user_id: string;
      live_key_id: string;
      test_key_id: string;
      role: 'owner' | 'member' | 'viewer';
      email: string;
      org_name: string;
      expires_at: string | null;
      is_use_due: boolean | null;
    };
  };
  'session-finder.noteUse': { params: readonly [Buffer | null]; row: Record<never, unknown> };
  'session-finder.openAmong': {
    params: readonly [string | null, ReadonlyArray<string | null> | null];
    row: { id: string };
  };
  'session.end': { params: readonly [string | null, string | null, string | null]; row: { id: string } };
  'session.findAppKey': {
    params: readonly [string | null, string | null, string | null];
    row: { id: string };
  };
  'session.findByEmail': {
    params: readonly [string | null];
    row: {
      id: string;
      orgId: string;
      email: string;
      role: 'owner' | 'member' | 'viewer';
      password_hash: string;
      orgName: string;
    };
  };
  'session.forgetEnded': { params: readonly [string | null]; row: Record<never, unknown> };
  'session.insert': {
    params: readonly [
      string | null,
      Buffer | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { id: string; expires_at: string | null };
  };
  'session.insertAppKey': {
    params: readonly [string | null, Buffer | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'session.list': {
    params: readonly [string | null, string | null];
    row: {
      id: string;
      created_at: string | null;
      last_seen_at: string | null;
      expires_at: string | null;
      address: string | null;
      agent: string | null;
    };
  };
  'session.useLoginLink': {
    params: readonly [Buffer | null];
    row: { id: string; orgId: string; email: string; role: 'owner' | 'member' | 'viewer'; orgName: string };
  };
  'user-keys.insert': {
    params: readonly [
      string | null,
      string | null,
      Buffer | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      Date | string | null,
    ];
    row: { id: string };
  };
  'user-keys.list': {
    params: readonly [string | null, string | null, string | null];
    row: {
      id: string;
      name: string | null;
      mode: 'live' | 'test';
      last_four: string;
      user_id: string;
      email: string;
      created_at: string | null;
      last_used_at: string | null;
      expires_at: string | null;
    };
  };
  'user-keys.revoke': { params: readonly [string | null, string | null, string | null]; row: { id: string } };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
