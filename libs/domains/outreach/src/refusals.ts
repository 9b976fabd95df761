import { faultsError, pathText } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';

/** @returns the refusal of a request, whose message names the path of the field */
export function fieldError(path: ReadonlyArray<string | number>, message: string): AppError {
  return faultsError('resources', [{ path, message: `${pathText(path)} ${message}`.trimStart() }]);
}

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
