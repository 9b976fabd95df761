import { RUN_ERROR_CODES, type RunErrorCode } from '@quarry/error-codes';

/** A failure that ends a run, with its public code. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  constructor(
    readonly code: RunErrorCode,
    message: string = RUN_ERROR_CODES[code].title,
  ) {
    super(message);
  }
}
