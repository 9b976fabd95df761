import { matchPhrase, type PhraseList } from './phrase-list.js';
import type { Reading } from './recogniser.js';

/** Value read from the prompt and the number of its tokens. */
export interface Read<T> {
  readonly value: T;
  readonly length: number;
}

/** Reads what stands at a position; null when it is nothing of that kind. */
export type Reader<T> = (reading: Reading, at: number) => Read<T> | null;

/**
 * Reads items connected by joints: "2015, 2016 or 2017".
 * @param readNext reads the items after a joint, which may have further conditions
 * @returns null when there is no item
 */
export function readList<T>(
  reading: Reading,
  at: number,
  joints: PhraseList,
  read: Reader<T>,
  readNext = read,
): Read<T[]> | null {
  const first = read(reading, at);
  if (!first) return null;
  const value = [first.value];
  let { length } = first;
  for (;;) {
    const joint = matchPhrase(reading.words, at + length, joints);
    const next = joint > 0 ? readNext(reading, at + length + joint) : null;
    if (!next) return { value, length };
    value.push(next.value);
    length += joint + next.length;
  }
}
