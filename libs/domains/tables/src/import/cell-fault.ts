import { isStorableText } from '../sql/storable-text.js';

/** Most bytes of a cell in UTF-8: of the text itself, or of the JSON of any other value. Source: decisions 4. */
export const CELL_BYTES_MAX = 32 * 1024;
// The same depth as a request body. Source: docs/contract.md#2-order-of-checks.
const DEPTH_MAX = 32;

/** @returns the reason why a value cannot be stored, or null */
export function cellFault(value: unknown): string | null {
  return valueFault(value, 0) ?? sizeFault(value);
}

function valueFault(value: unknown, depth: number): string | null {
  if (typeof value === 'string')
    return isStorableText(value) ? null : 'must not contain NUL or half of a surrogate pair';
  if (typeof value === 'number') return numberFault(value);
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= DEPTH_MAX) return `must not be nested deeper than ${DEPTH_MAX} levels`;
  for (const [key, item] of Object.entries(value)) {
    const fault = isStorableText(key)
      ? valueFault(item, depth + 1)
      : 'must not have NUL or half of a surrogate pair in a key';
    if (fault) return fault;
  }
  return null;
}

function numberFault(value: number): string | null {
  if (!Number.isFinite(value)) return 'is a number out of range; send it as a string';
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return 'is an integer that JSON parsers round; send it as a string';
  return null;
}

function sizeFault(value: unknown): string | null {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // A UTF-16 unit takes at most three bytes, so most cells need no counting.
  if (text.length * 3 <= CELL_BYTES_MAX || Buffer.byteLength(text) <= CELL_BYTES_MAX) return null;
  return `must have at most ${CELL_BYTES_MAX} bytes`;
}
