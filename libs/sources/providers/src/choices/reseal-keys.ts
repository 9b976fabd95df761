import { systemCtx, type SealedSecrets } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { bindingOf } from './vendor-choices.js';

/** Counts of own keys by what became of them, each counted once. */
export interface ResealedKeys {
  /** Opened with a key behind the first, and sealed with the first. */
  resealed: number;
  /** Sealed with the first already, or changed meanwhile by their organisation. */
  current: number;
  /** Opened by no key that is here: left as they are. */
  unreadable: number;
}

/**
 * Seals the own keys of all organisations with the first wrapping key, so that those behind it can go. Keys that are set
 * meanwhile are left alone, and a second time changes nothing.
 */
export async function resealKeys(database: Database, secrets: SealedSecrets): Promise<ResealedKeys> {
  const ctx = systemCtx('reseal');
  const counts: ResealedKeys = { resealed: 0, current: 0, unreadable: 0 };
  for (const { org_id: orgId, mode, vendor, sealed_key: sealed } of await database.query(ctx, SEALED)) {
    const binding = bindingOf({ orgId, mode }, vendor);
    const secret = secrets.openSecret(binding, sealed);
    if (secret === null) counts.unreadable += 1;
    else if (secrets.isSealedByFirst(sealed)) counts.current += 1;
    else {
      const anew = secrets.sealSecret(binding, secret);
      const changed = await database.queryOne(ctx, RESEAL, [orgId, mode, vendor, sealed, anew]);
      counts[changed ? 'resealed' : 'current'] += 1;
    }
  }
  return counts;
}

const SEALED = statement(
  'reseal-keys.sealed',
  'SELECT org_id, mode, vendor, sealed_key FROM identity.vendor_choices WHERE sealed_key IS NOT NULL ORDER BY org_id, mode, vendor',
).rows<{ mode: 'live' | 'test'; sealed_key: string }>();

// Only what was read: a key that its organisation sets meanwhile is newer.
const RESEAL = statement(
  'reseal-keys.reseal',
  `UPDATE identity.vendor_choices SET sealed_key = $5
   WHERE org_id = $1 AND mode = $2 AND vendor = $3 AND sealed_key = $4 RETURNING vendor`,
);
