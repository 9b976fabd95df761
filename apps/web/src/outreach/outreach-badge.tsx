import type { Approval, Enrollment, SequenceSummary, Thread, ThreadMessages } from '../api/resources';
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
const APPROVAL: Readonly<Record<Approval['status'], readonly [BadgeLook, string]>> = {
  pending: ['warn', 'pending'],
  approved: ['good', 'approved'],
  rejected: ['bad', 'rejected'],
  void: ['plain', 'cancelled by a change'],
  expired: ['plain', 'expired'],
};
const MESSAGE: Readonly<Record<ThreadMessages['messages'][number]['status'], readonly [BadgeLook, string]>> =
  {
    planned: ['plain', 'planned'],
    claimed: ['busy', 'sending'],
    sending: ['busy', 'sending'],
    sent: ['good', 'sent'],
    deferred: ['warn', 'tried again later'],
    rejected: ['bad', 'rejected by the server'],
    unknown: ['warn', 'may not have arrived'],
    cancelled: ['plain', 'cancelled'],
    received: ['good', 'received'],
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
  const [look, text] = APPROVAL[status];
  return <Badge look={look}>{text}</Badge>;
}

export function MessageBadge({ status }: Pick<ThreadMessages['messages'][number], 'status'>) {
  const [look, text] = MESSAGE[status];
  return <Badge look={look}>{text}</Badge>;
}

export function ThreadBadge({ kind }: Pick<Thread, 'kind'>) {
  const [look, text] = THREAD[kind];
  return <Badge look={look}>{text}</Badge>;
}
