import { AppError, type ErrorCode } from '@quarry/error-codes';

/** Error codes of an area that cannot be reached, or whose storage cannot. Source: contract, error table. */
const CODE_BY_AREA: Readonly<Record<string, { unreachable: ErrorCode; storage: ErrorCode }>> = {
  runs: { unreachable: 'runs_unavailable', storage: 'runs_unavailable' },
  tables: { unreachable: 'runs_unavailable', storage: 'runs_unavailable' },
};
const ELSEWHERE = { unreachable: 'upstream_error', storage: 'internal_error' } as const;

/** Seconds: an operator needs a while to free space. */
const OUT_OF_RESOURCES_RETRY_SECONDS = 30;

/** @returns the refusal of a write that failed because the disk of the database is full: 503 in every area */
export function outOfResources(pattern: string, cause: unknown): AppError {
  const code = (CODE_BY_AREA[pattern.split('.')[0]!] ?? ELSEWHERE).storage;
  return new AppError(code, 'There is no space to store this at the moment. Try again later.', {
    status: 503,
    headers: { 'Retry-After': String(OUT_OF_RESOURCES_RETRY_SECONDS) },
    cause,
    facts: { pattern },
  });
}

/**
 * Returns the refusal of a call that cannot be answered now: 502 or 503, never the 500 of an unexpected error.
 * @param pattern of the call; its first word is the area
 * @param what is unreachable: the service itself, or the database behind it
 */
export function unavailableError(pattern: string, what: 'unreachable' | 'storage', cause: unknown): AppError {
  const code = (CODE_BY_AREA[pattern.split('.')[0]!] ?? ELSEWHERE)[what];
  return new AppError(code, 'The service behind this address is not available. Try again shortly.', {
    ...(what === 'storage' ? { status: 503 } : {}),
    cause,
    facts: { pattern },
  });
}
