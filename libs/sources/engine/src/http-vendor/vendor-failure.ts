import { retryAfterOf } from '@quarry/resilience';
import type { JobErrorCode } from '@quarry/error-codes';
import type { OutboundAnswer, OutboundError, OutboundFault } from '@quarry/safe-http';
import { ProviderFailure, type OperatorTask } from '../ports/lookup.port.js';

/** Sentences for the customer. They name no vendor, no address and nothing that the vendor wrote. */
const MESSAGES = {
  provider_rejected: 'The provider refused this input.',
  provider_unavailable: 'The provider cannot be reached.',
  provider_error: 'The provider failed.',
  capacity: 'The provider is at its capacity.',
  timeout: 'The provider did not answer in time.',
  invalid_output: 'The provider returned an invalid answer.',
} as const satisfies Partial<Record<JobErrorCode, string>>;

/** In place of the sentence of its code, where only whoever has set the key can help. */
const OPERATOR_MESSAGES: Readonly<Record<OperatorTask, string>> = {
  key: 'The provider rejects the key that is configured for it.',
  credits: 'The account at the provider has no credits left.',
};

export interface Verdict {
  code: keyof typeof MESSAGES;
  /** True where the same call may go better a moment later. */
  isTransient: boolean;
}

const REJECTED: Verdict = { code: 'provider_rejected', isTransient: false };
// The key, the account or the address is wrong: the operator's to put right, and the same input may then be found.
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

/** Statuses that say more than their hundred does. docs/vendors.md shows the table to vendors. */
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

/** @returns what a status outside the 200s means for the line */
export function failureOfStatus(provider: string, { status, headers }: OutboundAnswer): ProviderFailure {
  const { code, isTransient } = BY_STATUS[status] ?? {
    code: 'provider_error',
    isTransient: status >= 500,
  };
  const retryAfterMs = isTransient ? retryAfterOf(headers.get('retry-after')) : undefined;
  const deepFinished = headers.get('deep-finished') === 'true';
  return new ProviderFailure(code, MESSAGES[code], { provider, isTransient, retryAfterMs, deepFinished });
}

/** @returns a failure of a provider, with the sentence of what only its operator can do, or of its code */
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
 * @returns what a call without a readable answer means for the line; the connection may hold the next time, and an address
 *   that may not be asked is the operator's to put right
 */
export function failureOfCall(provider: string, error: OutboundError): ProviderFailure {
  const isTransient = error.fault === 'unreachable';
  const code = BY_FAULT[error.fault];
  return new ProviderFailure(code, MESSAGES[code], { provider, isTransient, cause: error });
}

/** @returns a failure for an answer that does not meet the protocol. It would come again, so it is never repeated. */
export function invalidOutput(provider: string, cause: unknown): ProviderFailure {
  return new ProviderFailure('invalid_output', MESSAGES.invalid_output, { provider, cause });
}
