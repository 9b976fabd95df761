import type { RunStatus } from '../api/resources';
import { Badge, type BadgeLook } from '../ui/controls';

const LOOKS: Readonly<Record<RunStatus, readonly [BadgeLook, string]>> = {
  queued: ['busy', 'Queued'],
  running: ['busy', 'Running'],
  recovering: ['busy', 'Recovering'],
  completed: ['good', 'Completed'],
  failed: ['bad', 'Failed'],
  cancelled: ['plain', 'Stopped'],
};

export function RunBadge({ status }: { status: RunStatus }) {
  const [look, text] = LOOKS[status];
  return <Badge look={look}>{text}</Badge>;
}
