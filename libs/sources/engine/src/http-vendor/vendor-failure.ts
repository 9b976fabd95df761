import { retryAfterOf } from '@quarry/resilience';
import type { JobErrorCode } from '@quarry/error-codes';
import type { OutboundAnswer, OutboundError, OutboundFault } from '@quarry/safe-http';
import { ProviderFailure, type OperatorTask } from '../ports/lookup.port.js';

/** Messages for the customer. They name no vendor, no address and nothing that the vendor sent. */
const MESSAGES = {
  provider_rejected: 'The provider refused this input.',
  provider_unavailable: 'The provider cannot be reached.',
  provider_error: 'The provider failed.',
  capacity: 'The provider is at its capacity.',
  timeout: 'The provider did not answer in time.',
  invalid_output: 'The provider returned an invalid answer.',
} as const satisfies Partial<Record<JobErrorCode, string>>;

/** Messages that replace the one of the code when only the owner of the key can help. */
const OPERATOR_MESSAGES: Readonly<Record<OperatorTask, string>> = {
  key: 'The provider rejects the key that is configured for it.',
  credits: 'The account at the provider has no credits left.',
};

export interface Verdict {
  code: keyof typeof MESSAGES;
  /** True when the same call may succeed a moment later. */
  isTransient: boolean;
}

const REJECTED: Verdict = { code: 'provider_rejected', isTransient: false };
// The key, the account or the address is wrong. The operator can correct it, and the same input may then be found.
const MISCONFIGURED: Verdict = { code: 'provider_unavailable', isTransient: false };
const BUSY: Verdict = { code: 'capacity', isTransient: true };

const BY_FAULT: Readonly<Record<OutboundFault, keyof typeof MESSAGES>> = {
  unreachable: 'provider_unavailable',
  refused: 'provider_unavailable',
  'too slow': 'timeout',
  unwelcome: 'invalid_output',
  'too large': 'invalid_output',
  unreadable: 'invalid_output',
};

/** Statuses that are more specific than their class (4xx, 5xx). docs/vendors.md publishes the table for vendors. */
const BY_STATUS: Readonly<Record<number, Verdict>> = {
  400: REJECTED,
  413: REJECTED,
  422: REJECTED,
  401: MISCONFIGURED,
  402: MISCONFIGURED,
  403: MISCONFIGURED,
  404: MISCONFIGURED,
  405: MISCONFIGURED,
  408: { code: 'provider_error', isTransient: true },
  429: BUSY,
};

/** Statuses that stay until the operator acts. 403 and 404 may concern a single input. */
const TASK_BY_STATUS: Readonly<Record<number, OperatorTask>> = { 401: 'key', 402: 'credits' };

/** @returns the failure for a status outside the 200s */
export function failureOfStatus(provider: string, { status, headers }: OutboundAnswer): ProviderFailure {
  const { code, isTransient } = BY_STATUS[status] ?? { code: 'provider_error', isTransient: status >= 500 };
  const retryAfterMs = isTransient ? retryAfterOf(headers.get('retry-after')) : undefined;
  const deepFinished = headers.get('deep-finished') === 'true';
  const needsOperator = TASK_BY_STATUS[status];
  const message = needsOperator ? OPERATOR_MESSAGES[needsOperator] : MESSAGES[code];
  const options = { provider, isTransient, retryAfterMs, deepFinished, needsOperator };
  return new ProviderFailure(code, message, options);
}

/** @returns the failure of a provider, with the message of its operator task if there is one, else of its code */
export function failureOfVerdict(
  provider: string,
  { code, isTransient }: Verdict,
  options: Pick<ProviderFailure['options'], 'retryAfterMs' | 'needsOperator'>,
): ProviderFailure {
  const { needsOperator } = options;
  const message = needsOperator ? OPERATOR_MESSAGES[needsOperator] : MESSAGES[code];
  return new ProviderFailure(code, message, { provider, isTransient, ...options });
}

/**
 * @returns the failure for a call without a readable response. A broken connection may work the next time; a forbidden
 *   address must be corrected by the operator
 */
export function failureOfCall(provider: string, error: OutboundError): ProviderFailure {
  const isTransient = error.fault === 'unreachable';
  const code = BY_FAULT[error.fault];
  return new ProviderFailure(code, MESSAGES[code], { provider, isTransient, cause: error });
}

/**
 * @returns the failure for a response that violates the protocol. It is never retried, because the next response would too.
 */
export function invalidOutput(provider: string, cause: unknown): ProviderFailure {
  return new ProviderFailure('invalid_output', MESSAGES.invalid_output, { provider, cause });
}
