import { systemCtx, type SealedSecrets } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from './statements.types.js';
import { destinationBinding } from './destinations/destination.store.js';
import { bindingOf } from './webhook-secrets.js';

/** Counts of the secrets of webhooks and destinations by what became of them, each counted once. */
export interface ResealedWebhooks {
  resealed: number;
  /** Sealed with the first key already, or rotated meanwhile. */
  current: number;
  /** Opened by no key that is here: left as they are. */
  unreadable: number;
}

/** Seals the secrets of all webhooks and destinations with the first wrapping key, so that those behind it can go. A second time changes nothing. */
export async function resealWebhooks(database: Database, secrets: SealedSecrets): Promise<ResealedWebhooks> {
  const ctx = systemCtx('reseal');
  const counts: ResealedWebhooks = { resealed: 0, current: 0, unreadable: 0 };
  for (const { org_id: orgId, mode, id, sealed } of await database.query(ctx, SEALED)) {
    const [of, reseal] = id.startsWith('dst_')
      ? [destinationBinding, RESEAL_DESTINATION]
      : [bindingOf, RESEAL];
    const binding = of({ orgId, mode }, id);
    const secret = secrets.openSecret(binding, sealed);
    if (secret === null) counts.unreadable += 1;
    else if (secrets.isSealedByFirst(sealed)) counts.current += 1;
    else {
      const anew = secrets.sealSecret(binding, secret);
      const changed = await database.queryOne(ctx, reseal, [orgId, mode, id, sealed, anew]);
      counts[changed ? 'resealed' : 'current'] += 1;
    }
  }
  return counts;
}

const SEALED = statement(
  'reseal-webhooks.sealed',
  `SELECT w.org_id, w.mode, w.id, s.sealed FROM webhooks.endpoints w
   CROSS JOIN LATERAL (VALUES (w.sealed_secret), (CASE WHEN w.previous_until > now() THEN w.previous_secret END)) s (sealed)
   WHERE s.sealed IS NOT NULL
   UNION ALL SELECT d.org_id, d.mode, d.id, d.sealed_secret FROM destinations.destinations d ORDER BY 1, 2, 3`,
).rows<{ org_id: string; mode: 'live' | 'test'; id: string; sealed: string }>();

// Only what was read: a secret that is rotated meanwhile is newer, or stands in the other place.
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
