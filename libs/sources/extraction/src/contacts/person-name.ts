import { foldWord } from '@quarry/vocabulary';

/** Titles before a name, which are not part of it. */
const TITLES = new Set(
  `dr prof professor mr mrs ms miss sir herr frau dipl ing mag med phd msc mba jr sr m mme mlle señor señora sig don`.split(
    ' ',
  ),
);
/** Words before a name that label it. */
const LABELS = new Set(
  `contact contacts kontakt ansprechpartner ansprechpartnerin ihr ihre your call ask with by name direct phone telefon tel mobile
  mobil e mail email`.split(/\s+/),
);
/** Maximum number of words between a first and a last name. */
const MIDDLE_MAX = 2;
const AND = new Set(['and', 'und', 'et', 'y', 'e', 'en', 'og', 'och', 'oder', 'or']);

/** Letters that addresses write as two. ASCII spelling of German and of the Nordic languages. */
const AS_TWO: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  ø: 'oe',
  å: 'aa',
  æ: 'ae',
};

/** @returns whether a word is a title before names, such as "Dr" */
export function isTitle(word: string): boolean {
  return TITLES.has(foldWord(word));
}

/** Position of a name among words and punctuation. */
interface Place {
  start: number;
  /** Position after its last word. */
  end: number;
}

/** Person with first and last name, to find the name in texts and to derive addresses from it. */
export class PersonName {
  private readonly first: readonly string[];
  private readonly last: readonly string[];
  private readonly isHyphened: { first: boolean; last: boolean };
  private known: Array<[first: string, last: string]> | null = null;

  /** Both names as given; each may have several words. */
  constructor(first: string, last: string) {
    const withoutTitles = (text: string): string[] => {
      const words = wordsIn(text);
      const kept = words.filter((word) => !TITLES.has(foldWord(word)));
      return kept.length > 0 ? kept : words;
    };
    this.first = withoutTitles(first);
    this.last = withoutTitles(last);
    this.isHyphened = { first: /\p{L}-\p{L}/u.test(first), last: /\p{L}-\p{L}/u.test(last) };
  }

  /**
   * @returns first and last name in the letters of addresses, likely spellings first; empty for a name without Latin letters
   */
  spellings(): Array<[first: string, last: string]> {
    return (this.known ??= this.makeSpellings());
  }

  /** @returns whether both names occur together in a text, in either order; a middle name may be between them */
  isIn(text: string): boolean {
    return this.placeIn(piecesOf(text)) !== null;
  }

  /**
   * @returns whether a text is about this person: it starts with the name, after titles and words such as "Contact", and
   *   does not continue with "and" and another person
   */
  isSubjectOf(text: string): boolean {
    const pieces = piecesOf(text);
    const begin = pieces.findIndex(
      (piece) => !isSign(piece) && !TITLES.has(foldWord(piece)) && !LABELS.has(foldWord(piece)),
    );
    const place = begin < 0 ? null : this.placeIn(pieces.slice(begin));
    if (place?.start !== 0) return false;
    const next = pieces[begin + place.end] ?? '';
    return !AND.has(foldWord(next)) && next !== '&' && next !== '+' && next !== '/';
  }

  /** @returns whether a word, which may be hyphenated, is part of this name */
  hasWord(word: string): boolean {
    const names = [...this.first, ...this.last];
    return wordsIn(word).every((part) => names.some((name) => isSameWord(name, part)));
  }

  private makeSpellings(): Array<[first: string, last: string]> {
    const pairs = [asTwo, plainWord].flatMap((spell) => {
      const firsts = formsOf(this.first, spell, this.isHyphened.first, 'first');
      return formsOf(this.last, spell, this.isHyphened.last, 'whole').flatMap((last) =>
        firsts.map((first): [string, string] => [first, last]),
      );
    });
    const key = (pair: readonly string[]): string => pair.join(' ');
    return pairs.filter(
      (pair, i) =>
        pair[0] !== '' && pair[1] !== '' && pairs.findIndex((each) => key(each) === key(pair)) === i,
    );
  }

  private placeIn(pieces: readonly string[]): Place | null {
    const [first] = this.first;
    if (first === undefined || this.last.length === 0) return null;
    const lastAt = (at: number): boolean =>
      this.last.every((word, i) => at + i < pieces.length && isSameWord(pieces[at + i]!, word));
    for (const [at, piece] of pieces.entries()) {
      if (lastAt(at)) {
        // "Lovelace, Ada"
        const next = at + this.last.length;
        const behind = pieces[next] === ',' ? next + 1 : next;
        if (behind < pieces.length && isSameWord(pieces[behind]!, first))
          return { start: at, end: behind + 1 };
      }
      if (!isSameWord(piece, first)) continue;
      const mostBetween = Math.max(MIDDLE_MAX, this.first.length - 1);
      for (let from = at + 1; from <= at + 1 + mostBetween; from += 1) {
        if (lastAt(from)) return { start: at, end: from + this.last.length };
        // After a comma, another name starts.
        if (isSign(pieces[from] ?? '')) break;
      }
    }
    return null;
  }
}

/** Returns words, and the punctuation that separates names. */
function piecesOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+|[,;:&+/|()–—•·]/gu) ?? [];
}

function isSign(piece: string): boolean {
  return /^[^\p{L}\p{M}\p{N}]/u.test(piece);
}

/** Returns words of letters; hyphens, dots and apostrophes separate them. */
function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** Compares words with both spellings: "Müller" is also written Muller and Mueller. */
function isSameWord(a: string, b: string): boolean {
  const [one, other] = [foldedTwice(a), foldedTwice(b)];
  return one.some((form) => other.includes(form));
}

function foldedTwice(word: string): string[] {
  return [foldWord(word), foldWord(inTwo(word))];
}

function inTwo(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFC')
    .replace(/[äöüßøåæ]/g, (letter) => AS_TWO[letter]!);
}

function plainWord(word: string): string {
  return foldWord(word).replace(/[^a-z]/g, '');
}

function asTwo(word: string): string {
  return plainWord(inTwo(word));
}

/**
 * Returns the forms of a name with several words. Of first names separated by a space, usually only the first is used; of
 * last names all, or the last one ("van der Berg": vanderberg, berg).
 */
function formsOf(
  words: readonly string[],
  spell: (word: string) => string,
  isHyphened: boolean,
  prefers: 'first' | 'whole',
): string[] {
  const parts = words.map(spell).filter(Boolean);
  if (parts.length <= 1) return parts;
  const [joined, hyphened] = [parts.join(''), parts.join('-')];
  if (isHyphened) return [hyphened, joined];
  return prefers === 'first' ? [parts[0]!, joined] : [joined, parts.at(-1)!];
}
