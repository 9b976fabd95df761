import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from '@ai-sdk/provider';
import { retryAfterOf } from '@quarry/resilience';
import { OutboundError } from '@quarry/safe-http';
import { ModelAdapterFailure } from './adapter.port.js';

const UNAVAILABLE = 'The language model cannot be reached.';
const FAILED = 'The language model failed.';
const REFUSED = 'The language model refuses the request.';
const BUSY = 'The language model is at its capacity.';
const UNREADABLE = 'The language model answered outside its own protocol.';

/**
 * @param error thrown by the provider package
 * @returns the failure, whose message contains no address, no key and nothing that the endpoint sent
 */
export function failureOf(error: unknown): ModelAdapterFailure {
  if (error instanceof ModelAdapterFailure) return error;
  const outbound = causeOf(error, (each) => each instanceof OutboundError);
  if (outbound) return ofOutbound(outbound);
  if (APICallError.isInstance(error) && error.statusCode !== undefined && !isOk(error.statusCode))
    return ofStatus(error.statusCode, error.responseHeaders ?? {});
  const isUnreadable = [APICallError, JSONParseError, TypeValidationError, InvalidResponseDataError].some(
    (type) => type.isInstance(error),
  );
  return isUnreadable
    ? new ModelAdapterFailure('invalid_output', UNREADABLE)
    : new ModelAdapterFailure('unavailable', FAILED, { isTransient: false });
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

function ofOutbound({ fault }: OutboundError): ModelAdapterFailure {
  switch (fault) {
    case 'unreachable':
      return new ModelAdapterFailure('unavailable', UNAVAILABLE, { isTransient: true });
    case 'too large':
      return new ModelAdapterFailure('invalid_output', 'The language model wrote more than is read.');
    case 'too slow':
      return new ModelAdapterFailure('timeout', 'The language model did not answer in time.');
    case 'unreadable':
      return new ModelAdapterFailure('invalid_output', UNREADABLE);
    case 'refused':
    case 'unwelcome':
      return new ModelAdapterFailure('unavailable', UNAVAILABLE);
  }
}

function ofStatus(status: number, headers: Readonly<Record<string, string>>): ModelAdapterFailure {
  const retryAfterMs = retryAfterOf(headers['retry-after'] ?? null);
  if (status === 429)
    return new ModelAdapterFailure('rate_limited', BUSY, { isTransient: true, retryAfterMs });
  if (status >= 500 || status === 408)
    return new ModelAdapterFailure('unavailable', FAILED, { isTransient: true, retryAfterMs });
  return new ModelAdapterFailure('rejected', REFUSED);
}

function causeOf<T>(error: unknown, is: (each: unknown) => each is T): T | null {
  for (let each = error; each instanceof Error; each = each.cause) if (is(each)) return each;
  return null;
}
