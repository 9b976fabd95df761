import type { Approval, Enrollment, SequenceSummary, Thread } from '../api/resources';
import { Badge, type BadgeLook } from '../ui/controls';

const SEQUENCE: Readonly<Record<SequenceSummary['status'], readonly [BadgeLook, string]>> = {
  draft: ['plain', 'draft'],
  approved: ['good', 'approved'],
  active: ['busy', 'active'],
  paused: ['warn', 'paused'],
  completed: ['good', 'completed'],
  archived: ['plain', 'archived'],
};
const ENROLLMENT: Readonly<Record<Enrollment['status'], BadgeLook>> = {
  waiting: 'plain',
  active: 'busy',
  finished: 'good',
  replied: 'good',
  bounced: 'bad',
  unsubscribed: 'warn',
  stopped: 'plain',
  failed: 'bad',
};
export const ENROLLMENT_STATUSES = Object.keys(ENROLLMENT) as Array<Enrollment['status']>;
const APPROVAL: Readonly<Record<Approval['status'], BadgeLook>> = {
  pending: 'warn',
  approved: 'good',
  rejected: 'bad',
  void: 'plain',
  expired: 'plain',
};
const THREAD: Readonly<Record<Thread['kind'], readonly [BadgeLook, string]>> = {
  sent: ['plain', 'sent'],
  reply: ['good', 'reply'],
  away: ['plain', 'away'],
  bounce: ['bad', 'bounced'],
  unsubscribe: ['warn', 'unsubscribe'],
};

export function SequenceBadge({
  status,
  status_reason: reason,
}: Pick<SequenceSummary, 'status' | 'status_reason'>) {
  const [look, text] = SEQUENCE[status];
  return <Badge look={reason === null ? look : 'warn'}>{text}</Badge>;
}

export function EnrollmentBadge({ status }: Pick<Enrollment, 'status'>) {
  return <Badge look={ENROLLMENT[status]}>{status}</Badge>;
}

export function ApprovalBadge({ status }: Pick<Approval, 'status'>) {
  return <Badge look={APPROVAL[status]}>{status}</Badge>;
}

export function ThreadBadge({ kind }: Pick<Thread, 'kind'>) {
  const [look, text] = THREAD[kind];
  return <Badge look={look}>{text}</Badge>;
}
