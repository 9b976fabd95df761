import { ofTenant, tenantOf, type Database, type TxCtx } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/**
 * Voids the approvals of a sequence, including pending requests. The caller has locked the sequence, so that no message is marked
 * meanwhile. An active sequence is paused, since nothing of it may be sent.
 */
export async function voidApprovals(database: Database, tx: TxCtx, sequenceId: string): Promise<void> {
  const params = [tenantOf(tx), sequenceId] as const;
  await database.query(tx, VOID, params);
  await database.query(tx, WITHDRAW, params);
}

const VOID = statement(
  'approval-voids.void',
  `UPDATE outreach.approvals a SET status = 'void'
   WHERE ${ofTenant('a')} AND a.sequence_id = $2 AND a.status IN ('pending', 'approved')`,
);

/** A sequence that has been active becomes paused, not a draft. */
const WITHDRAW = statement(
  'approval-voids.withdraw',
  `UPDATE outreach.sequences s SET approval_id = NULL, status = CASE
     WHEN s.status IN ('active', 'completed') THEN 'paused'
     WHEN s.status <> 'approved' THEN s.status
     WHEN EXISTS (SELECT FROM outreach.enrollments e
       WHERE e.org_id = s.org_id AND e.mode = s.mode AND e.sequence_id = s.id AND e.status <> 'waiting' AND e.mailbox_id IS NOT NULL)
     THEN 'paused' ELSE 'draft' END
   WHERE ${ofTenant('s')} AND s.id = $2`,
);
