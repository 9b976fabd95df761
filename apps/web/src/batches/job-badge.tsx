import type { Job } from '../api/resources';
import { Badge, type BadgeLook } from '../ui/controls';

const LOOKS: Readonly<Record<Job['status'], readonly [BadgeLook, string]>> = {
  queued: ['plain', 'queued'],
  running: ['busy', 'running'],
  completed: ['good', 'completed'],
  failed: ['bad', 'failed'],
  cancelled: ['plain', 'cancelled'],
};

export function JobBadge({ status, count }: { status: Job['status']; count?: string }) {
  const [look, text] = LOOKS[status];
  return (
    <Badge look={look}>
      {count} {text}
    </Badge>
  );
}

/** Explanation of a failed job's code for users. */
const CODES: Readonly<Record<string, string>> = {
  timeout: 'The provider timed out.',
  capacity: 'The provider had no capacity.',
  interrupted: 'The work was interrupted.',
  provider_error: 'The provider failed.',
  provider_unavailable: 'No provider was available.',
  capability_error: 'No provider is set up for this service.',
  worker_lost: 'The worker stopped too many times.',
  usage_limit: 'The balance or a spend cap did not cover it.',
  provider_rejected: 'The input has too little to search with.',
  validation_error: 'The input was not valid.',
  invalid_output: 'The provider’s answer could not be read.',
};

export function errorInWords({ code, message }: { code: string; message: string }): string {
  return CODES[code] ?? message;
}
