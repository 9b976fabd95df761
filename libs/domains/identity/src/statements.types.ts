// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Flag, Num, Text, Texts, Time, Typed } from '@quarry/postgres';

type UsersRole = 'owner' | 'member' | 'viewer';
type InvitationsRole = 'owner' | 'member' | 'viewer';

interface StatementTypes {
  'audit-pages.list': Typed<
    [Text, BigNum, BigNum],
    {
      number: Text;
      at: Text;
      actor_kind: Text;
      actor_id: Text;
      email: Text;
      mode: 'live' | 'test' | null;
      action: Text;
      object: Text;
      address: Text;
      request_id: Text;
      facts: unknown;
    }
  >;
  'identity.findKey': Typed<
    [Text],
    {
      id: string;
      orgId: string;
      userId: string;
      mode: 'live' | 'test';
      secretSha256: Buffer;
      role: UsersRole;
      isRevoked: Flag;
      isUseDue: Flag;
    }
  >;
  'identity.findOpenKeys': Typed<[Texts], { id: string }>;
  'identity.findOrganisation': Typed<[Text], { '?column?': Num }>;
  'identity.insertKey': Typed<
    [Text, Text, Buffer | null, Text, Text, Text, Text],
    { id: string; user_id: string }
  >;
  'identity.insertOrganisation': Typed<[Text, Text]>;
  'identity.insertUser': Typed<[Text, Text, Text, Text, Text], { id: string }>;
  'identity.isKeyRevoked': Typed<[Text], { '?column?': Num }>;
  'identity.listKeys': Typed<
    [Text],
    {
      id: string;
      userId: string;
      mode: 'live' | 'test';
      lastFour: string;
      createdAt: Text;
      lastUsedAt: Text;
      revokedAt: Text;
    }
  >;
  'identity.listOrganisations': Typed<[], { id: string; name: string; createdAt: Text }>;
  'identity.listUsers': Typed<[Text], { id: string; email: string; createdAt: Text }>;
  'identity.modeOfKey': Typed<[Text, Text], { mode: 'live' | 'test' }>;
  'identity.noteKeyUse': Typed<[Text]>;
  'identity.revokeKey': Typed<
    [Text, Text, Buffer | null],
    { id: string; org_id: string; revoked_at: Date | null; is_new: Flag }
  >;
  'login-attempts.count': Typed<[Texts], { place: Text; attempts: Num; wait_seconds: Num }>;
  'login-attempts.forget': Typed<[ReadonlyArray<number | string | null> | null]>;
  'login-attempts.forgetOld': Typed<[]>;
  'login-attempts.insert': Typed<[Texts], { id: string }>;
  'login-attempts.lock': Typed<[Texts], { pg_advisory_xact_lock: Text }>;
  'login-link.forgetOld': Typed<[]>;
  'login-link.insert': Typed<[Buffer | null, Text], { ends_at: Text }>;
  'member.changeRole': Typed<
    [Text, Text, Text],
    { id: string; email: string; name: Text; role: UsersRole; status: Text; created_at: Text }
  >;
  'member.deleteInvitation': Typed<[Text, Text], { id: string }>;
  'member.deleteInvitationsOf': Typed<[Text, Text], { id: string }>;
  'member.findByEmail': Typed<[Text, Text], { '?column?': Num }>;
  'member.findInvitation': Typed<[Buffer | null], { '?column?': Num }>;
  'member.forgetOldInvitations': Typed<[Text]>;
  'member.insert': Typed<[Text, Text, Text, Text, Text, Text], { id: string }>;
  'member.invite': Typed<
    [Text, Buffer | null, Text, Text, Text, Text],
    { id: string; created_at: Text; expires_at: Text }
  >;
  'member.list': Typed<
    [Text],
    { id: Text; email: Text; name: Text; role: Text; status: Text; created_at: Text }
  >;
  'member.lockOwners': Typed<[Text], { id: string }>;
  'member.remove': Typed<[Text, Text], { id: string }>;
  'member.revokeKeys': Typed<[Text, Text], { id: string }>;
  'member.useInvitation': Typed<
    [Buffer | null],
    { id: string; orgId: string; email: string; role: InvitationsRole; orgName: string }
  >;
  'session-finder.find': Typed<
    [Buffer | null],
    {
      id: string;
      org_id: string;
      user_id: string;
      live_key_id: string;
      test_key_id: string;
      role: UsersRole;
      email: string;
      org_name: string;
      expires_at: Text;
      is_use_due: Flag;
    }
  >;
  'session-finder.noteUse': Typed<[Buffer | null]>;
  'session-finder.openAmong': Typed<[Texts], { id: string }>;
  'session.end': Typed<[Text, Text, Text], { id: string }>;
  'session.endOthers': Typed<[Text, Text, Text]>;
  'session.findAppKey': Typed<[Text, Text, Text], { id: string }>;
  'session.findByEmail': Typed<
    [Text],
    { id: string; orgId: string; email: string; role: UsersRole; password_hash: string; orgName: string }
  >;
  'session.findPassword': Typed<
    [Text, Text, Text],
    { email: string; password_hash: string; is_recovering: Flag }
  >;
  'session.forgetEnded': Typed<[Text]>;
  'session.insert': Typed<
    [Text, Buffer | null, Text, Text, Text, Text, Text, Text, Flag],
    { id: string; expires_at: Text }
  >;
  'session.insertAppKey': Typed<[Text, Buffer | null, Text, Text, Text]>;
  'session.list': Typed<
    [Text, Text],
    { id: string; created_at: Text; last_seen_at: Text; expires_at: Text; address: Text; agent: Text }
  >;
  'session.setPassword': Typed<[Text, Text, Text]>;
  'session.useLoginLink': Typed<
    [Buffer | null],
    { id: string; orgId: string; email: string; role: UsersRole; orgName: string }
  >;
  'user-keys.insert': Typed<[Text, Text, Buffer | null, Text, Text, Text, Text, Text, Time], { id: string }>;
  'user-keys.list': Typed<
    [Text, Text, Text],
    {
      id: string;
      name: Text;
      mode: 'live' | 'test';
      last_four: string;
      user_id: string;
      email: string;
      created_at: Text;
      last_used_at: Text;
      expires_at: Text;
    }
  >;
  'user-keys.replaceSecret': Typed<[Text, Text, Buffer | null, Text], { id: string }>;
  'user-keys.revoke': Typed<[Text, Text, Text], { id: string }>;
  'user-lock.lock': Typed<[Text, Text, Text], { '?column?': Num }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
