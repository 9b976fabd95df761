import { AppError } from '@quarry/error-codes';

export function noSequence(): AppError {
  return new AppError('not_found', 'Sequence not found.');
}

export function noApproval(): AppError {
  return new AppError('not_found', 'Approval not found.');
}

export function noThread(): AppError {
  return new AppError('not_found', 'Thread not found.');
}

/** @returns the refusal of a decision that is based on an older version */
export function outdatedError(message: string): AppError {
  return new AppError('version_conflict', message);
}
