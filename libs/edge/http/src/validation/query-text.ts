import type { Fault } from '@quarry/dto';

/** Parameters by name, in an object without a prototype. */
export type QueryValues = Record<string, string>;

/**
 * Parses a query strictly: repeated parameters, malformed percent-encoding and NUL are faults, while most parsers silently pick a
 * value.
 */
export function parseQuery(text: string): { values: QueryValues; faults: Fault[] } {
  const values = Object.create(null) as QueryValues;
  const faults: Fault[] = [];
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeText(equals < 0 ? pair : pair.slice(0, equals));
    const value = decodeText(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === null || value === null) {
      faults.push({
        path: name === null ? [] : [name],
        message: `${name ?? 'the query'} is not percent-encoded correctly`,
      });
    } else if (name in values) faults.push({ path: [name], message: `${name} must be given once` });
    else if (value.includes('\0')) {
      faults.push({ path: [name], message: `${name} must not contain the NUL character` });
    } else values[name] = value;
  }
  return { values, faults };
}

function decodeText(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
