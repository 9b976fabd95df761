import type { ErrorCode } from './error-codes.registry.js';
import type { ErrorDetail } from './app-error.js';

/** Body of every HTTP error. */
export interface ErrorEnvelope {
  error: { code: ErrorCode; message: string; details?: ErrorDetail[] };
}

/** @returns the envelope; `details` is omitted when empty, since it is optional in the contract. */
export function errorEnvelope(code: ErrorCode, message: string, details?: ErrorDetail[]): ErrorEnvelope {
  return { error: details && details.length > 0 ? { code, message, details } : { code, message } };
}
