const QUOTES =
  /[\u2018\u2019\u201a\u201b\u2032\u00b4\u0060\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2039\u203a"]/u;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/u;
/** Marks that show nothing: soft hyphen, zero-width characters, directions, variation selectors. */
const SILENT =
  /^[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]$/u;
const CLUSTER = /\P{M}\p{M}*/gu;

/**
 * A text without what does not change its meaning: case, white space, soft hyphens, kinds of quotes and dashes (NFKC). It knows
 * where each of its characters came from. Letters of different alphabets stay different, however alike they look.
 */
export class FoldedText {
  readonly text: string;
  /** For each UTF-16 unit of the folded text where it begins in the original; one more for the end. */
  private readonly origins: number[];
  private readonly ends: number[];

  constructor(readonly original: string) {
    const parts: string[] = [];
    const origins: number[] = [];
    const ends: number[] = [];
    let isSpace = true;
    for (const { 0: cluster, index } of original.matchAll(CLUSTER)) {
      const plain = foldCluster(cluster);
      if (plain === '' || (plain === ' ' && isSpace)) continue;
      isSpace = plain === ' ';
      parts.push(plain);
      for (let unit = 0; unit < plain.length; unit += 1) {
        origins.push(index);
        ends.push(index + cluster.length);
      }
    }
    const joined = parts.join('');
    this.text = joined.endsWith(' ') ? joined.slice(0, -1) : joined;
    this.origins = origins;
    this.ends = ends;
  }

  /** @returns the first place from `from` on that came from `original` or behind it */
  placeAt(original: number, from: number): number {
    let place = from;
    while (place < this.origins.length && this.origins[place]! < original) place += 1;
    return place;
  }

  /** @returns the range in the original, in UTF-16 units, that a range of the folded text stands for */
  originOf(from: number, to: number): { from: number; to: number } {
    return { from: this.origins[from]!, to: this.ends[to - 1]! };
  }
}

/** @returns a text folded, for comparison; see {@link FoldedText} */
export function fold(text: string): string {
  return new FoldedText(text).text;
}

function foldCluster(cluster: string): string {
  const plain = [...cluster.normalize('NFKC').toLowerCase()]
    .filter((char) => !SILENT.test(char))
    .map((char) => (QUOTES.test(char) ? "'" : DASHES.test(char) ? '-' : char))
    .join('');
  return /^\s+$/u.test(plain) ? ' ' : plain;
}
