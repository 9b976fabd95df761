/** Deeper than any answer that is meant, and shallower than what walks a value can go. */
const DEPTH_MAX = 100;
const VALUES_MAX = 250_000;

/**
 * Parses JSON that somebody else has written. It is looked through once before anything is made of it, so that what walks the
 * value afterwards (a schema, {@link cleanText}) neither runs out of stack nor takes long.
 * @throws SyntaxError when it is no JSON, nests more than 100 values, or has more than 250,000
 */
export function parseBoundedJson(text: string): unknown {
  checkJsonSize(text);
  return JSON.parse(text);
}

/** @throws SyntaxError as {@link parseBoundedJson} does, but for what is no JSON */
export function checkJsonSize(text: string): void {
  let depth = 0;
  let values = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (code === COMMA) values += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      values += 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > DEPTH_MAX || values > VALUES_MAX)
      throw new SyntaxError('The JSON nests too deep or has too many values.');
  }
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\,[]{}'].map(
  (mark) => mark.charCodeAt(0),
);
