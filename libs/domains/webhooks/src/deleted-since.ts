import { AppError } from '@quarry/error-codes';

/** Turns the 404 of a repeated creation into a conflict that says why: the first request's webhook or destination was deleted. */
export function refuseDeleted(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
  throw new AppError(
    'idempotency_conflict',
    'What was created with this Idempotency-Key has been deleted. Use another key to create it again.',
    { cause: error },
  );
}
