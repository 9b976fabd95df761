// Outreach: what nobody has approved is not sent, and whoever is suppressed is not written to.
import { mutant } from './mutant.mjs';

const APPROVALS = 'libs/domains/outreach/src/approvals/approval.store.ts';
const HOLDS = 'libs/domains/outreach/src/approvals/holds.sql.ts';
const ENROLLMENTS = 'libs/domains/outreach/src/sequences/enrollment.store.ts';
const SEQUENCES = 'libs/domains/outreach/src/sequences/sequence.store.ts';
const DRAFTS = 'libs/domains/outreach/src/threads/draft.store.ts';
const APPROVALS_SPEC = 'libs/domains/outreach/src/approvals/approvals.db.spec.ts';
const SEQUENCES_SPEC = 'libs/domains/outreach/src/sequences/sequences.db.spec.ts';
const THREADS_SPEC = 'libs/domains/outreach/src/threads/threads.db.spec.ts';

export const OUTREACH_MUTANTS = [
  mutant('outreach: a digest of now', APPROVALS_SPEC, 'is refused for a preview that is older', [
    APPROVALS,
    'if (now.digest !== digest)',
    'if (digest === "")',
  ]),
  mutant('outreach: a digest that was seen', APPROVALS_SPEC, 'is decided by a user who has seen just this', [
    APPROVALS,
    'if (approval.digest !== digest)',
    'if (digest === "")',
  ]),
  mutant(
    'outreach: every message can be rendered',
    APPROVALS_SPEC,
    'is refused while a variable is missing',
    [APPROVALS, 'await this.requireRendered(tx, sequence);', ''],
  ),
  mutant('outreach: a change voids', APPROVALS_SPEC, 'is void after a change', [
    SEQUENCES,
    'await voidApprovals(this.database, tx, sequence.id);',
    '',
  ]),
  mutant('outreach: an enrollment voids', SEQUENCES_SPEC, 'pauses an active sequence', [
    ENROLLMENTS,
    'if (enrolled > 0 && !isDry) await this.withdraw(tx, sequence);',
    '',
  ]),
  mutant('outreach: the approval of today', APPROVALS_SPEC, 'after a pause nothing holds', [
    HOLDS,
    "AND s.status = 'active' AND s.approval_id = a.id",
    "AND s.status = 'active'",
  ]),
  mutant('outreach: messages that were approved', APPROVALS_SPEC, 'after a pause nothing holds', [
    HOLDS,
    ' AND a.started < a.messages',
    '',
  ]),
  mutant('outreach: once in any sequence', SEQUENCES_SPEC, 'in two sequences at once', [
    ENROLLMENTS,
    'if (!isDry) await this.database.query(tx, LOCK_TENANT, [tenantOf(tx)]);',
    '',
  ]),
  mutant('outreach: nobody who is suppressed', SEQUENCES_SPEC, 'leaves out and counts', [
    ENROLLMENTS,
    "if (known.get(email)!.is_suppressed) return 'suppressed';",
    '',
  ]),
  mutant('outreach: an answer that is approved', THREADS_SPEC, 'leaves once, after a person', [
    DRAFTS,
    '(!sent && !draft.is_approved)',
    'false',
  ]),
];
