/** Position of a member of an object in a JSON text, and of its items if it is a list. */
export interface MemberSlice {
  from: number;
  to: number;
  /** Start and end of each item in a flat list; null when the member is no list. */
  items: number[] | null;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

// About a millisecond.
const STEP_CHARACTERS = 512 * 1024;

/**
 * Finds the members of a JSON object, and the items of those that are lists, without building values: of a body of many megabytes
 * only one row at a time is parsed. To be run step by step.
 * @param text well-formed JSON
 * @returns the positions by key, or null when the text is no object
 */
export function* sliceMembers(text: string): Generator<void, Map<string, MemberSlice> | null> {
  const members = new Map<string, MemberSlice>();
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) return null;
  for (at = skipSpace(text, at + 1); text.charCodeAt(at) === QUOTE; at = skipSpace(text, at + 1)) {
    const keyEnd = stringEnd(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const from = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const items: number[] | null = text.charCodeAt(from) === OPEN_LIST ? [] : null;
    const to = yield* valueEnd(text, from, items);
    members.set(key, { from, to, items });
    at = skipSpace(text, to);
    if (text.charCodeAt(at) !== COMMA) break;
  }
  return members;
}

/** @returns the position after the value that begins at `from`; adds the items of a list to `items` */
function* valueEnd(text: string, from: number, items: number[] | null): Generator<void, number> {
  let depth = 0;
  let itemFrom = from + 1;
  let pauseAt = from + STEP_CHARACTERS;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      // A number or a word ends where its surroundings end.
      if (depth === 0) return at;
      depth -= 1;
      if (depth > 0) continue;
      if (items && (items.length > 0 || skipSpace(text, itemFrom) < at)) items.push(itemFrom, at);
      return at + 1;
    } else if (code === COMMA) {
      if (depth === 0) return at;
      if (depth === 1 && items) {
        items.push(itemFrom, at);
        itemFrom = at + 1;
      }
    }
    if (at < pauseAt) continue;
    pauseAt = at + STEP_CHARACTERS;
    yield;
  }
  return text.length;
}

/** @returns the position after the string that begins at `from` */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

/** @returns the position of the next character that is not white space */
function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}
