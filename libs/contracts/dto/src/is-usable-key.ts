// `__proto__` is no ordinary member in JavaScript, and clients remove `.` and `..` from the path of a link.
const UNUSABLE = new Set(['__proto__', '.', '..']);

/** @returns whether a text may be the key of a table or a column; its length is a separate question */
export function isUsableKey(key: string): boolean {
  return !UNUSABLE.has(key);
}
