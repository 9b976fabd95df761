import { HttpException } from '@nestjs/common';
import { AppError, errorEnvelope } from '@quarry/error-codes';
import { FILE_TYPES } from '../policy/route-policy.js';

/** An error in the form in which it is sent. */
export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Converts any thrown value to an envelope. Only an AppError contributes more than a status: other messages were not written for
 * clients.
 */
export function errorAnswer(error: unknown): ErrorAnswer {
  const known = error instanceof AppError ? error : publicErrorOf(error);
  return {
    status: known.status,
    // Every 401 names its authentication scheme. Source: RFC 9110, section 15.5.2.
    headers: known.status === 401 ? { 'WWW-Authenticate': 'Bearer', ...known.headers } : known.headers,
    body: JSON.stringify(errorEnvelope(known.code, known.message, known.details)),
  };
}

function publicErrorOf(error: unknown): AppError {
  const status = statusOf(error);
  if (status === 404) return notFound();
  if (isBadUrl(error))
    return new AppError('invalid_request', 'The address is not percent-encoded correctly.');
  if (status === 415) return unsupportedMediaType();
  if (status >= 400 && status < 500) {
    return new AppError('invalid_request', 'The request is not valid.', { status });
  }
  return new AppError('internal_error', 'An unexpected error happened. Try again later.', { cause: error });
}

/** Fastify's errors have a status property, Nest's a method; anything else is hidden. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { statusCode, code } = (error ?? {}) as { statusCode?: unknown; code?: unknown };
  return typeof statusCode === 'number' && String(code).startsWith('FST_') ? statusCode : 500;
}

function isBadUrl(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'FST_ERR_BAD_URL';
}

/** @returns the refusal of an address without a route */
export function notFound(): AppError {
  return new AppError('not_found', 'Nothing was found at this address.');
}

/** @returns the refusal of a method that the route does not have */
export function methodNotAllowed(allowed: readonly string[]): AppError {
  return new AppError('invalid_request', `This address supports only ${allowed.join(', ')}.`, {
    status: 405,
    headers: { Allow: allowed.join(', ') },
  });
}

/** @returns the refusal of a request from a foreign web page */
export function foreignOrigin(): AppError {
  return new AppError('invalid_request', 'Requests from web pages of this Origin are not accepted.', {
    status: 403,
  });
}

/** @returns the refusal of a body that any web page could send with the cookie of this one */
export function foreignPage(): AppError {
  return new AppError(
    'invalid_request',
    'A request that changes something must be sent as application/json.',
    { status: 403 },
  );
}

/** @returns the refusal of an unsupported kind of file */
export function unsupportedFileType(): AppError {
  return new AppError(
    'invalid_request',
    `The file must be sent with Content-Type ${FILE_TYPES.join(' or ')} and without Content-Encoding.`,
    { status: 415 },
  );
}

/** @returns the refusal of a body that is not declared as JSON */
export function unsupportedMediaType(): AppError {
  return new AppError(
    'invalid_request',
    'The body must be sent with Content-Type application/json, in UTF-8 and without Content-Encoding.',
    { status: 415 },
  );
}
