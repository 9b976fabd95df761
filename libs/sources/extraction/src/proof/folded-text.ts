const QUOTES =
  /[\u2018\u2019\u201a\u201b\u2032\u00b4\u0060\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2039\u203a"]/u;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/u;
/** Invisible characters: soft hyphen, zero-width characters, text direction, variation selectors. */
const SILENT =
  /^[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]$/u;
/** A character with its combining marks. No language uses more than 30; a malicious text may have any number. */
const CLUSTER = /\P{M}\p{M}{0,30}/uy;

/**
 * Text without differences that do not change its meaning: case, white space, soft hyphens, types of quotes and dashes
 * (NFKC). Maps each of its characters to its origin. Letters of different alphabets stay different, even if they look
 * alike.
 */
export class FoldedText {
  readonly text: string;
  /** Offset in the original text for each UTF-16 unit of the folded text; one more for the end. */
  private readonly origins: Uint32Array;
  private readonly ends: Uint32Array;

  constructor(readonly original: string) {
    const parts: string[] = [];
    // A typed array, because a worker holds the pages of many research runs at once: a list of numbers takes more than twice
    // the memory.
    let origins = new Uint32Array(original.length);
    let ends = new Uint32Array(original.length);
    let length = 0;
    let isSpace = true;
    for (let index = 0; index < original.length;) {
      const cluster = clusterAt(original, index);
      const plain = foldCluster(cluster);
      const end = index + cluster.length;
      if (plain !== '' && !(plain === ' ' && isSpace)) {
        isSpace = plain === ' ';
        parts.push(plain);
        // Few characters expand when they are folded.
        if (length + plain.length > origins.length) {
          origins = growArray(origins, plain.length);
          ends = growArray(ends, plain.length);
        }
        origins.fill(index, length, length + plain.length);
        ends.fill(end, length, length + plain.length);
        length += plain.length;
      }
      index = end;
    }
    const joined = parts.join('');
    this.text = joined.endsWith(' ') ? joined.slice(0, -1) : joined;
    this.origins = origins;
    this.ends = ends;
  }

  /** @returns the first offset of the folded text whose origin is `original` or later */
  placeAt(original: number): number {
    let [from, to] = [0, this.text.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.origins[middle]! < original) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** @returns the range of the original text, in UTF-16 units, for a range of the folded text */
  originOf(from: number, to: number): { from: number; to: number } {
    return { from: this.origins[from]!, to: this.ends[to - 1]! };
  }
}

function growArray(list: Uint32Array, by: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(list.length * 2 + by);
  longer.set(list);
  return longer;
}

/** @returns a folded text, for comparison; see {@link FoldedText} */
export function foldText(text: string): string {
  return new FoldedText(text).text;
}

/**
 * For each UTF-16 unit, 1 if it may belong to the previous character: a combining mark, or half of a surrogate pair. Built
 * on first use, in 5 ms.
 */
let joins: Uint8Array | null = null;

function makeJoins(): Uint8Array {
  return Uint8Array.from({ length: 0x10000 }, (_, unit) =>
    /[\p{M}\p{Cs}]/u.test(String.fromCharCode(unit)) ? 1 : 0,
  );
}

/** Returns a character with its combining marks; without running a regular expression when it has none, as in most text. */
function clusterAt(text: string, index: number): string {
  joins ??= makeJoins();
  const isPlain = joins[text.charCodeAt(index)] === 0 && !joins[text.charCodeAt(index + 1)];
  if (isPlain) return text[index]!;
  CLUSTER.lastIndex = index;
  return CLUSTER.exec(text)?.[0] ?? text[index]!;
}

function foldCluster(cluster: string): string {
  const code = cluster.charCodeAt(0);
  if (cluster.length === 1 && code < 0x80) return ASCII[code]!;
  const known = folded.get(cluster);
  if (known !== undefined) return known;
  const plain = foldAny(cluster);
  if (folded.size < FOLDED_KEPT && cluster.length <= CLUSTER_UNITS_KEPT) folded.set(cluster, plain);
  return plain;
}

/** Cache of folded characters: a page has few different ones, and folding one takes several regular expressions. */
const folded = new Map<string, string>();
const FOLDED_KEPT = 10_000;
const CLUSTER_UNITS_KEPT = 4;

const ASCII = Array.from({ length: 0x80 }, (_, code) => foldAny(String.fromCharCode(code)));

function foldAny(cluster: string): string {
  // A superscript, circled or fraction digit is not part of the number before it: `120²` is 120 with a footnote, `7½` is not
  // 71.
  const form = /^\p{No}/u.test(cluster) ? 'NFC' : 'NFKC';
  const plain = [...cluster.normalize(form).toLowerCase()]
    .filter((char) => !SILENT.test(char))
    .map((char) => (QUOTES.test(char) ? "'" : DASHES.test(char) ? '-' : char))
    .join('');
  return /^\s+$/u.test(plain) ? ' ' : plain;
}

/** @returns a text without invisible characters, otherwise unchanged */
export function withoutSilent(text: string): string {
  return [...text].filter((char) => !SILENT.test(char)).join('');
}
