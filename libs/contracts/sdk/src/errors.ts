import type { ErrorEnvelope } from './types.gen.js';

/** Fault of a request, with the field it refers to. */
export interface ErrorDetail {
  /** Path as text such as `columns[0].key`; for services and Go as steps, such as `['inputs', '0']`. */
  readonly path?: string | readonly string[];
  readonly message?: string;
  readonly [name: string]: unknown;
}

/** Error code of the API; a newer server may return others. */
export type ErrorCode = ErrorEnvelope['error']['code'] | (string & {});

/** Error response of the API. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /**
   * @param status of the HTTP response
   * @param code stable, for branching; `unknown_error` for a response without one, such as that of a proxy
   * @param requestId to include in questions to the operator
   * @param retryAfterSeconds time to wait before the same request; null when the server does not specify it
   */
  constructor(
    message: string,
    readonly status: number,
    readonly code: ErrorCode,
    readonly details: readonly ErrorDetail[],
    readonly requestId: string | null,
    readonly retryAfterSeconds: number | null,
  ) {
    super(message);
  }

  /** Returns whether the same request may succeed later. A conflict of keys ends when the first request has ended. */
  get isRetryable(): boolean {
    if (this.status === 409) return this.code === 'idempotency_conflict' && this.retryAfterSeconds !== null;
    return [408, 429, 500, 502, 503].includes(this.status);
  }
}

/** Error when there is no complete response: it is unknown whether the request was processed. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}

/** Error when the response did not arrive in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}
