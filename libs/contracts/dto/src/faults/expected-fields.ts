import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@quarry/error-codes';
import { fieldError } from './faults.js';

/**
 * Refuses a change that is based on values which somebody else has changed in the meantime.
 * @param shown the resource as the API shows it, read under the lock of the change
 * @param expected fields as the client has read them; without them every change is accepted
 * @throws AppError version_conflict naming the changed fields; invalid_request for a field that the resource does not have
 */
export function requireExpected(shown: object, expected: Record<string, unknown> = {}): void {
  const now = new Map(Object.entries(shown));
  for (const field of Object.keys(expected))
    if (!now.has(field)) throw fieldError(['expected', field], 'is not a field of the resource');
  const changed = Object.entries(expected).flatMap(([field, value]) =>
    isDeepStrictEqual(now.get(field), value) ? [] : field,
  );
  if (changed.length === 0) return;
  throw new AppError(
    'version_conflict',
    `Somebody has changed ${changed.join(', ')} in the meantime. Read it again.`,
    { details: changed.map((field) => ({ path: `expected.${field}`, message: 'has been changed' })) },
  );
}
