import { systemCtx, type SealedSecrets } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from './statements.types.js';
import { destinationBinding } from './destinations/destination.store.js';
import { bindingOf } from './webhook-secrets.js';

/** Reseals the secrets of all webhooks and destinations with the first wrapping key. */
export async function resealWebhooks(database: Database, secrets: SealedSecrets) {
  const ctx = systemCtx('reseal');
  const kept = (await database.query(ctx, SEALED)).map(({ org_id: orgId, mode, id, sealed }) => {
    const [of, reseal] = id.startsWith('dst_')
      ? [destinationBinding, RESEAL_DESTINATION]
      : [bindingOf, RESEAL];
    return {
      sealed,
      binding: of({ orgId, mode }, id),
      replaceBy: (anew: string) => database.queryOne(ctx, reseal, [orgId, mode, id, sealed, anew]),
    };
  });
  return secrets.resealSecrets(kept);
}

const SEALED = statement(
  'reseal-webhooks.sealed',
  `SELECT w.org_id, w.mode, w.id, s.sealed FROM webhooks.endpoints w
   CROSS JOIN LATERAL (VALUES (w.sealed_secret), (CASE WHEN w.previous_until > now() THEN w.previous_secret END)) s (sealed)
   WHERE s.sealed IS NOT NULL
   UNION ALL SELECT d.org_id, d.mode, d.id, d.sealed_secret FROM destinations.destinations d ORDER BY 1, 2, 3`,
).rows<{ org_id: string; mode: 'live' | 'test'; id: string; sealed: string }>();

// Replaces only the value that was read: a secret that was rotated meanwhile is newer, or in the other column.
const RESEAL = statement(
  'reseal-webhooks.reseal',
  `UPDATE webhooks.endpoints SET sealed_secret = CASE sealed_secret WHEN $4 THEN $5 ELSE sealed_secret END,
     previous_secret = CASE previous_secret WHEN $4 THEN $5 ELSE previous_secret END
   WHERE org_id = $1 AND mode = $2 AND id = $3 AND $4 IN (sealed_secret, previous_secret) RETURNING id`,
);

const RESEAL_DESTINATION = statement(
  'reseal-webhooks.resealDestination',
  `UPDATE destinations.destinations SET sealed_secret = $5
   WHERE org_id = $1 AND mode = $2 AND id = $3 AND sealed_secret = $4 RETURNING id`,
);
