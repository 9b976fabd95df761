/** Deeper than any answer that is meant, and shallower than what walks a value can go. */
const DEPTH_MAX = 100;
const VALUES_MAX = 250_000;

export interface JsonBounds {
  /** Values of one list, and fields of one object; bounded by all values alone where left out. */
  itemsMax?: number;
}

/**
 * Parses JSON that somebody else has written. It is looked through once before anything is made of it, so that what walks the
 * value afterwards (a schema, {@link cleanText}) neither runs out of stack nor takes long.
 * @throws SyntaxError when it is no JSON, nests more than 100 values, or has more than 250,000, or than a list may have
 */
export function parseBoundedJson(text: string, bounds: JsonBounds = {}): unknown {
  checkJsonSize(text, bounds);
  return JSON.parse(text);
}

/** @throws SyntaxError as {@link parseBoundedJson} does, but for what is no JSON */
export function checkJsonSize(text: string, { itemsMax = VALUES_MAX }: JsonBounds = {}): void {
  /** Commas in each list or object that is open at a place. */
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

/** @returns where a string that begins at a place ends; the end of the text where it does not */
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
