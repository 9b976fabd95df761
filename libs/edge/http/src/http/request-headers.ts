import { IDEMPOTENCY_KEY } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';

/**
 * Reads Idempotency-Key. Node joins repeated headers with ", ", so a repeated one contains a space and is refused too.
 * @returns the key, or null when there is none
 * @throws AppError unless it is 1 to 255 visible ASCII characters (docs/contract.md#3-runs)
 */
export function idempotencyKeyOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header;
  throw new AppError(
    'invalid_request',
    'Idempotency-Key must be sent once, with 1 to 255 visible ASCII characters.',
  );
}

/**
 * Reads Quarry-Max-Credits.
 * @returns the limit of a run, in credits; undefined when there is none
 * @throws AppError unless it is a plain number with at most 3 decimals (docs/contract.md#3-runs)
 */
export function maxCreditsOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^\d{1,9}(?:\.\d{1,3})?$/.test(header)) return Number(header);
  throw new AppError(
    'invalid_request',
    'Quarry-Max-Credits must be sent once, as a number of credits with at most 3 decimals.',
  );
}

/** Reads Service-Fresh. @throws AppError for anything but `true` (public contract, batch endpoint) */
export function isFreshWanted(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  if (header === 'true') return true;
  throw new AppError('invalid_request', 'Service-Fresh may only be "true".');
}
