import { systemCtx, type SealedSecrets } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { mailboxBinding } from './mailbox-secrets.js';

/** Seals the secrets of all mailboxes with the first wrapping key. */
export async function resealMailboxes(database: Database, secrets: SealedSecrets) {
  const ctx = systemCtx('reseal');
  const kept = (await database.query(ctx, SEALED)).map(
    ({ org_id: orgId, mode, id, sealed_secrets: sealed }) => ({
      sealed,
      binding: mailboxBinding({ orgId, mode, id }),
      replaceBy: (anew: string) => database.queryOne(ctx, RESEAL, [orgId, mode, id, sealed, anew]),
    }),
  );
  return secrets.resealSecrets(kept);
}

const SEALED = statement(
  'reseal-mailboxes.sealed',
  `SELECT b.org_id, b.mode, b.id, b.sealed_secrets FROM outreach.mailboxes b WHERE b.sealed_secrets IS NOT NULL
   ORDER BY b.org_id, b.mode, b.id`,
).rows<{ sealed_secrets: string }>();

// Only unchanged secrets: those that were changed meanwhile are sealed with a newer key.
const RESEAL = statement(
  'reseal-mailboxes.reseal',
  `UPDATE outreach.mailboxes SET sealed_secrets = $5
   WHERE org_id = $1 AND mode = $2 AND id = $3 AND sealed_secrets = $4 RETURNING id`,
);
