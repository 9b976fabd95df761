import { storableText } from '../sql/storable-text.js';

/** JSON escapes of NUL and of half a surrogate pair, the two things that jsonb rejects. */
const SUSPICIOUS = /\\u(0000|d[89a-f])/i;

/**
 * Returns JSON that PostgreSQL can store. Values from the web may contain NUL or broken surrogate pairs; one of them must not
 * lose the whole row, so NUL is removed and broken halves become U+FFFD.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // The test also matches an escaped backslash followed by "u0000"; cleaning that changes nothing.
  return SUSPICIOUS.test(json) ? JSON.stringify(cleanValue(value)) : json;
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines own members, so that a key called __proto__ stays a member.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanValue(key), cleanValue(item)]));
}
