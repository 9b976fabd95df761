// An escape in a string that is followed by a colon: usually a key, rarely the text of a value that looks like one.
const MAYBE_ESCAPED_KEY = /\\[^][^"\\]*"[ \t\n\r]*:/;
const STRING = /"([^"\\]*(?:\\[^][^"\\]*)*)"([ \t\n\r]*:)?/g;

/**
 * Parses JSON whose keys come from untrusted input. V8 compares the raw form of a key with the keys that it expects
 * after earlier objects, so that once `{"\\":1}` has been parsed, `{"\"":2}` is returned with the key `\`
 * (nodejs/node#63785). Keys without escapes are not affected. Others are parsed under a placeholder without escapes.
 * @throws SyntaxError like JSON.parse
 */
export function parseJson(text: string): unknown {
  if (!MAYBE_ESCAPED_KEY.test(text)) return JSON.parse(text);
  const mark = unusedMark(text);
  const keys: string[] = [];
  const rewritten = text.replace(STRING, (whole, content: string, colon?: string) => {
    if (colon === undefined || !content.includes('\\')) return whole;
    // A single string has no keys and is always parsed correctly.
    keys.push(JSON.parse(`"${content}"`) as string);
    return `"${mark}${keys.length - 1}"${colon}`;
  });
  return withKeys(JSON.parse(rewritten), (key) =>
    key.startsWith(mark) ? keys[Number(key.slice(mark.length))]! : key,
  );
}

/**
 * @returns a prefix that no key of the document has. Keys with escapes are replaced by placeholders, so their decoded
 *   text does not matter
 */
function unusedMark(text: string): string {
  for (let n = 0; ; n += 1) {
    // Private-use characters are rare, so the first prefix is usually free.
    const mark = `\ue000${n}:`;
    if (!text.includes(mark)) return mark;
  }
}

function withKeys(value: unknown, nameOf: (key: string) => string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withKeys(item, nameOf));
  // fromEntries defines properties, so that a key named __proto__ stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [nameOf(key), withKeys(item, nameOf)]),
  );
}
