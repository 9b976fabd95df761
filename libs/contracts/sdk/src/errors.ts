import type { ErrorEnvelope } from './types.gen.js';

/** One fault of a request, with the field that it is about. */
export interface ErrorDetail {
  /** Text such as `columns[0].key`; of services and Go its steps, such as `['inputs', '0']`. */
  readonly path?: string | readonly string[];
  readonly message?: string;
  readonly [name: string]: unknown;
}

/** A code that the API answers; a newer server may have others. */
export type ErrorCode = ErrorEnvelope['error']['code'] | (string & {});

/** The API refused a request, or failed to answer it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /**
   * @param status of the HTTP answer
   * @param code stable, to branch on; `unknown_error` where the answer had none, as those of a proxy
   * @param requestId to name in questions to the operator
   * @param retryAfterSeconds how long to wait before the same request; null where the server does not say
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

  /** Returns whether the same request may succeed later. A conflict of keys is over when the first request has ended. */
  get isRetryable(): boolean {
    if (this.status === 409) return this.code === 'idempotency_conflict' && this.retryAfterSeconds !== null;
    return [408, 429, 500, 502, 503].includes(this.status);
  }
}

/** No answer came, or it was cut off: whether the request was done is not known. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}

/** The answer did not come in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}
