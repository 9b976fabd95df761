import { excerpt } from './excerpt.js';
import { ERROR_CODES, type ErrorCode } from './error-codes.registry.js';

/** Fault of a request. `path` is text on /v1 resources and an array of steps on /services and Go. */
export interface ErrorDetail {
  path: string | string[];
  message: string;
}

/** Facts for the log only: never shown to the client. */
export type AppErrorFacts = Record<string, unknown>;

interface AppErrorOptions {
  /** Overrides the registry's status, only for transport errors that share a code (405, 408, 413, 415, 431). */
  status?: number;
  details?: ErrorDetail[];
  headers?: Record<string, string>;
  facts?: AppErrorFacts;
  cause?: unknown;
}

/** Part of an error that crosses a process boundary: everything that a client may see, nothing for the log. */
export interface SerializedAppError {
  code: ErrorCode;
  message: string;
  status: number;
  details?: ErrorDetail[];
  headers?: Record<string, string>;
}

function shortenDetail({ path, message }: ErrorDetail): ErrorDetail {
  return { path: typeof path === 'string' ? excerpt(path) : path.map(excerpt), message: excerpt(message) };
}

/** Error with a registered code and a message that is safe to show to the caller. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly status: number;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;
  readonly facts: AppErrorFacts;

  /**
   * @param code registered code; determines the HTTP status
   * @param message public English sentence without SQL, paths or upstream text. Parts of the request are truncated with
   *   {@link excerpt}, and so are details
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.status = options.status ?? ERROR_CODES[code].status;
    this.details = options.details?.map(shortenDetail);
    this.headers = options.headers ?? {};
    this.facts = options.facts ?? {};
  }

  /** @returns the public part, serialisable for another process. */
  serialize(): SerializedAppError {
    return {
      code: this.code,
      message: this.message,
      status: this.status,
      ...(this.details ? { details: this.details } : {}),
      ...(Object.keys(this.headers).length > 0 ? { headers: this.headers } : {}),
    };
  }

  /** @returns the error from the result of {@link AppError.serialize}. */
  static deserialize(serialized: SerializedAppError): AppError {
    return new AppError(serialized.code, serialized.message, serialized);
  }
}
