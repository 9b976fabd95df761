import { systemCtx, type SealedSecrets } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { bindingOf } from './vendor-choices.js';

/** Re-encrypts the vendor keys of all organisations with the first wrapping key. */
export async function resealKeys(database: Database, secrets: SealedSecrets) {
  const ctx = systemCtx('reseal');
  const kept = (await database.query(ctx, SEALED)).map(
    ({ org_id: orgId, mode, vendor, sealed_key: sealed }) => ({
      sealed,
      binding: bindingOf({ orgId, mode }, vendor),
      replaceBy: (anew: string) => database.queryOne(ctx, RESEAL, [orgId, mode, vendor, sealed, anew]),
    }),
  );
  return secrets.resealSecrets(kept);
}

const SEALED = statement(
  'reseal-keys.sealed',
  'SELECT org_id, mode, vendor, sealed_key FROM identity.vendor_choices WHERE sealed_key IS NOT NULL ORDER BY org_id, mode, vendor',
).rows<{ mode: 'live' | 'test'; sealed_key: string }>();

// Updates only the value that was read: a key that the organisation sets meanwhile is newer.
const RESEAL = statement(
  'reseal-keys.reseal',
  `UPDATE identity.vendor_choices SET sealed_key = $5
   WHERE org_id = $1 AND mode = $2 AND vendor = $3 AND sealed_key = $4 RETURNING vendor`,
);
