/** Maximum nesting: deeper than any legitimate response, and shallower than the stack limit of recursive functions. */
const DEPTH_MAX = 100;
const VALUES_MAX = 250_000;

export interface JsonBounds {
  /** Maximum number of values of a list, and of fields of an object; only the total number of values applies by default. */
  itemsMax?: number;
}

/**
 * Parses untrusted JSON. The text is checked before it is parsed, so that recursive functions on the value (a schema,
 * {@link cleanText}) neither overflow the stack nor take long.
 * @throws SyntaxError if it is not JSON, if it nests more than 100 levels, or if it has more than 250,000 values or more
 *   than the maximum for a list
 */
export function parseBoundedJson(text: string, bounds: JsonBounds = {}): unknown {
  checkJsonSize(text, bounds);
  return JSON.parse(text);
}

/** Checks the size only. @throws SyntaxError like {@link parseBoundedJson}, except for invalid JSON */
export function checkJsonSize(text: string, { itemsMax = VALUES_MAX }: JsonBounds = {}): void {
  /** Commas in each list or object that is open at the current position. */
  const commas = new Uint32Array(DEPTH_MAX + 1);
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) {
      values += 1;
      commas[depth]! += 1;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      commas[depth] = 0;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > DEPTH_MAX || values > VALUES_MAX || commas[depth]! >= itemsMax)
      throw new SyntaxError('The JSON nests too deep or has too many values.');
  }
}

/** @returns the end of the string that starts at a position; the end of the text if it is not terminated */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\,[]{}'].map(
  (mark) => mark.charCodeAt(0),
);
