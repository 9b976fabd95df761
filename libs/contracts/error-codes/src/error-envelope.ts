import type { ErrorCode } from './error-codes.registry.js';
import type { ErrorDetail } from './app-error.js';

/** The only body that an HTTP error has. */
export interface ErrorEnvelope {
  error: { code: ErrorCode; message: string; details?: ErrorDetail[] };
}

/** @returns the envelope; `details` is left out when there are none, as the contract has it optional. */
export function errorEnvelope(code: ErrorCode, message: string, details?: ErrorDetail[]): ErrorEnvelope {
  return { error: details && details.length > 0 ? { code, message, details } : { code, message } };
}
