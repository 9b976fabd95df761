// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/platform';

interface StatementTypes {
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
    params: readonly [string | null, string | null, string | null, string | null];
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
}

/** Declares a statement of this room, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
