import { ApiError, ConnectionError } from '@quarry/sdk';

/** Exit codes that scripts branch on; `quarry help exit-codes` prints them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  partly: 3,
  notAuthenticated: 4,
  notFound: 5,
  outOfCredits: 6,
  conflict: 7,
  tryLater: 8,
  interrupted: 130,
} as const;

export const EXIT_CODES_TEXT = `Exit codes:
  0    done
  1    failed; also a failed run, and a service without a provider
  2    the command or the request is wrong; also a missing file, and
       a prompt that gave no table
  3    done in part: some lines failed, or the credits were used up
  4    no key, or one that is not valid
  5    not found; also a run without rows, and a question that no page
       answers
  6    no credits left, or a cap is reached
  7    busy, or in conflict with what is there
  8    try again later: too many requests, an error of the server or the network
  130  interrupted; work on the server goes on
`;

/** The command line is wrong, or something it needs is missing. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(
    message: string,
    readonly exitCode: number = EXIT.usage,
  ) {
    super(message);
  }
}

const BY_STATUS: Readonly<Record<number, number>> = {
  400: EXIT.usage,
  401: EXIT.notAuthenticated,
  402: EXIT.outOfCredits,
  404: EXIT.notFound,
  405: EXIT.usage,
  409: EXIT.conflict,
  410: EXIT.usage,
  413: EXIT.usage,
  415: EXIT.usage,
};

/** Returns the exit code for an error. A service without a configured provider fails the next time, too. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return error.exitCode;
  if (error instanceof ApiError && error.code === 'capability_error') return EXIT.failed;
  if (error instanceof ApiError)
    return (
      BY_STATUS[error.status] ?? (error.isRetryable || error.status >= 500 ? EXIT.tryLater : EXIT.failed)
    );
  return error instanceof ConnectionError ? EXIT.tryLater : EXIT.failed;
}
