import { systemCtx, type SealedSecrets } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { mailboxBinding } from './mailbox-secrets.js';

/** Counts of the mailboxes' secrets by what became of them, each counted once. */
export interface ResealedMailboxes {
  resealed: number;
  /** Sealed with the first key already, or changed meanwhile. */
  current: number;
  /** Opened by no key that is here: left as they are. */
  unreadable: number;
}

/** Seals the secrets of all mailboxes with the first wrapping key, so that those behind it can go. A second time changes nothing. */
export async function resealMailboxes(
  database: Database,
  secrets: SealedSecrets,
): Promise<ResealedMailboxes> {
  const ctx = systemCtx('reseal');
  const counts: ResealedMailboxes = { resealed: 0, current: 0, unreadable: 0 };
  for (const { org_id: orgId, mode, id, sealed_secrets: sealed } of await database.query(ctx, SEALED)) {
    const binding = mailboxBinding({ orgId, mode, id });
    const secret = secrets.openSecret(binding, sealed);
    if (secret === null) counts.unreadable += 1;
    else if (secrets.isSealedByFirst(sealed)) counts.current += 1;
    else {
      const anew = secrets.sealSecret(binding, secret);
      const changed = await database.queryOne(ctx, RESEAL, [orgId, mode, id, sealed, anew]);
      counts[changed ? 'resealed' : 'current'] += 1;
    }
  }
  return counts;
}

const SEALED = statement(
  'reseal-mailboxes.sealed',
  `SELECT b.org_id, b.mode, b.id, b.sealed_secrets FROM outreach.mailboxes b WHERE b.sealed_secrets IS NOT NULL
   ORDER BY b.org_id, b.mode, b.id`,
).rows<{ sealed_secrets: string }>();

// Only what was read: secrets that are changed meanwhile are newer.
const RESEAL = statement(
  'reseal-mailboxes.reseal',
  `UPDATE outreach.mailboxes SET sealed_secrets = $5
   WHERE org_id = $1 AND mode = $2 AND id = $3 AND sealed_secrets = $4 RETURNING id`,
);
