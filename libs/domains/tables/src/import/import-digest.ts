import { createHash } from 'node:crypto';
import { canonicalJson, parseJson } from '@quarry/app';
import { sliceMembers } from './json-slices.js';

// A few milliseconds for ten columns.
const STEP_ITEMS = 1000;

/**
 * Computes a digest that equal JSON objects share, whatever the order of their members and their white space. To be run step by
 * step, like {@link sliceMembers}: of a list only one item at a time is parsed.
 * @param body one well-formed JSON value without duplicate keys
 */
export function* digestOf(body: string): Generator<void, string> {
  const hash = createHash('sha256');
  const members = yield* sliceMembers(body);
  // Anything but an object is refused later.
  if (!members) return hash.update(body).digest('base64url');
  const add = (from: number, to: number): unknown =>
    hash.update(`${canonicalJson(parseJson(body.slice(from, to)))},`);
  for (const [key, { from, to, items }] of [...members].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${JSON.stringify(key)}:${items ? '[' : ''}`);
    if (!items) add(from, to);
    for (let at = 0; items && at < items.length; at += 2) {
      add(items[at]!, items[at + 1]!);
      if (at % (2 * STEP_ITEMS) === 0) yield;
    }
  }
  return hash.digest('base64url');
}
