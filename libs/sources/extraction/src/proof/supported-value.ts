import type { ProvableSchema } from './claim.js';
import { affirmsCue, deniesCue, isAsserted, isDeniedBefore, type Block } from './negation.js';
import { foldText, withoutSilent } from './folded-text.js';
import {
  addressesIn,
  datesIn,
  emailsIn,
  numbersIn,
  phoneDigits,
  phonesIn,
  type Token,
} from './page-tokens.js';

/** Quote with its position in the whole folded page, so that a truncated number is recognised. */
export interface Quoted {
  text: string;
  from: number;
  to: number;
  /** True when the quote is in structured data, which consists only of values. */
  isStructured: boolean;
  /** Start of the paragraph, list item or row in which the quote starts. */
  blockFrom: number;
  /** Returns the paragraph, list item or row at an offset, within a limited distance. */
  blockAt: (at: number) => Block;
  /** Returns the original text for a range of the folded text. */
  writtenAt: (from: number, to: number) => string;
}

/** Number of characters read around a quote: longer than any number, date or address. */
const AROUND = 300;
const WORD = /[\p{L}\p{N}]/u;
/** @returns whether a value follows from a quote */
export function supportsValue(
  value: unknown,
  schema: ProvableSchema,
  fieldName: string,
  quoted: Quoted,
): boolean {
  const near = withSurroundings(quoted);
  if (typeof value === 'boolean') return supportsBoolean(value, fieldName, near);
  if (typeof value === 'number') return supportsNumber(value, near);
  if (typeof value !== 'string') return false;
  if (schema.enum) return supportsOption(value, near);
  return supportsText(value, schema.format, near);
}

/** Reduces the text to the quote and its surroundings, so that large pages cost no more than small ones. */
function withSurroundings({ text, from, to, blockFrom, blockAt, writtenAt, ...rest }: Quoted): Quoted {
  const start = Math.max(0, from - AROUND);
  return {
    ...rest,
    text: text.slice(start, to + AROUND),
    from: from - start,
    to: to - start,
    blockFrom: Math.max(0, blockFrom - start),
    blockAt: (at) => {
      const block = blockAt(start + at);
      return { from: block.from - start, to: block.to - start };
    },
    writtenAt: (begin, end) => writtenAt(start + begin, start + end),
  };
}

const isInside = ({ from, to }: Token<unknown>, quoted: Quoted): boolean =>
  from >= quoted.from && to <= quoted.to;

/** Returns whether the page asserts the text in a range; structured data always does. */
function standsIn(place: Block, quoted: Quoted): boolean {
  return quoted.isStructured || isAsserted(quoted.text, place, quoted.blockAt(place.from));
}

function supportsNumber(value: number, quoted: Quoted): boolean {
  const isProof = (token: Token<unknown>): boolean => isInside(token, quoted) && standsIn(token, quoted);
  if (numbersIn(quoted.text).some((token) => token.value === value && isProof(token))) return true;
  // A date proves its year: 1911-03-04.
  const isYear = Number.isInteger(value) && value >= 1000 && value <= 2100;
  return (
    isYear && datesIn(quoted.text).some((day) => Number(day.value.slice(0, 4)) === value && isProof(day))
  );
}

function supportsText(value: string, format: string | undefined, quoted: Quoted): boolean {
  const wanted = foldText(value);
  if (format === 'email' || emailsIn(wanted)[0]?.value === wanted)
    return emailsIn(quoted.text).some((token) => token.value === wanted && isInside(token, quoted));
  if (format === 'uri' || format === 'url' || /^https?:\/\//.test(wanted))
    return supportsAddress(value, quoted);
  if (format === 'date' || /^\d{4}-\d\d-\d\d$/.test(wanted))
    return datesIn(quoted.text).some((token) => token.value === wanted && isInside(token, quoted));
  if (format === 'date-time') return supportsTime(value, quoted);
  const digits = phoneDigits(wanted);
  if (/^[+\d][\d\s()./-]{5,}$/.test(wanted) && digits.length >= 7) return supportsPhone(digits, quoted);
  // A value that is itself a question needs no assertion; a number in a question would.
  const isNumber = /\d/.test(wanted) && !wanted.endsWith('?');
  return [...placesOf(wanted, quoted)].some((at) =>
    isNumber
      ? standsIn({ from: at, to: at + wanted.length }, quoted)
      : quoted.isStructured || !isDeniedBefore(quoted, at, 'phrase'),
  );
}

/**
 * Returns whether the quote contains the phone number. A number does not extend over a hard line break of Markdown: a
 * postcode may follow.
 */
function supportsPhone(digits: string, quoted: Quoted): boolean {
  return phonesIn(quoted.text).some((token) => {
    let end = token.from;
    return quoted
      .writtenAt(token.from, token.to)
      .split(/(?: {2,}|\\)\n|\n\s*\n/)
      .some((line) => {
        const foldedLine = foldText(line);
        const from = quoted.text.indexOf(foldedLine, end);
        end = from + foldedLine.length;
        return phoneDigits(foldedLine) === digits && isInside({ value: foldedLine, from, to: end }, quoted);
      });
  });
}

/** Returns whether the quote contains the point in time; a date without a time is not sufficient. */
function supportsTime(value: string, quoted: Quoted): boolean {
  const time = Date.parse(value);
  const form = /\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?/gu;
  return (
    !Number.isNaN(time) &&
    [...quoted.text.matchAll(form)].some(
      ({ 0: match, index }) =>
        Date.parse(match.toUpperCase()) === time &&
        isInside({ value: match, from: index, to: index + match.length }, quoted),
    )
  );
}

/**
 * Compares addresses: scheme and host ignore case, a trailing slash is ignored, and the path must be equal. `www.` alone
 * means https.
 */
function supportsAddress(value: string, quoted: Quoted): boolean {
  const wanted = URL.parse(value);
  if (!wanted) return false;
  const plain = (url: URL): string => url.href.replace(/\/$/, '');
  return addressesIn(quoted.text).some((token) => {
    const written = withoutSilent(quoted.writtenAt(token.from, token.to));
    const parsedUrl = URL.parse(token.value.startsWith('www.') ? `https://${written}` : written);
    return parsedUrl !== null && plain(parsedUrl) === plain(wanted) && isInside(token, quoted);
  });
}

/** @returns whether the quote contains the words, and not as part of longer words or numbers */
function containsWords(wanted: string, quoted: Quoted): boolean {
  return !placesOf(wanted, quoted).next().done;
}

/** @returns the offsets of the words in the quote where they are not part of longer words or numbers */
function* placesOf(wanted: string, { text, from, to }: Quoted): Generator<number, undefined> {
  for (
    let at = text.indexOf(wanted, from);
    at >= 0 && at + wanted.length <= to;
    at = text.indexOf(wanted, at + 1)
  )
    if (isWholeWord(text, at, at + wanted.length)) yield at;
}

function isWholeWord(text: string, at: number, end: number): boolean {
  if (isEdge(text, at, -1) && isEdge(text, end - 1, 1)) return true;
  return false;
}

/** @returns whether a word or number ends at a character, in one direction */
function isEdge(text: string, at: number, step: 1 | -1): boolean {
  const own = text[at]!;
  const next = text[at + step] ?? '';
  if (!WORD.test(own)) return true;
  // Letters outside the Basic Multilingual Plane have two UTF-16 units, between which there is no boundary.
  if (WORD.test(next) || /[\ud800-\udfff]/.test(next)) return false;
  return !(/\d/.test(own) && /[.,'/:-]/.test(next) && /\d/.test(text[at + 2 * step] ?? ''));
}

/**
 * Returns whether the quote contains the option, as words or (in structured data) as an identifier without spaces, and does
 * not negate it.
 */
function supportsOption(option: string, quoted: Quoted): boolean {
  const quotedText = quoted.text.slice(quoted.from, quoted.to);
  const wanted = foldText(option);
  if (quoted.isStructured) {
    const bare = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');
    return bare(quotedText.split('/').at(-1)!) === bare(wanted) || containsWords(wanted, quoted);
  }
  const spoken = wanted.replace(/[_-]+/g, ' ');
  return [wanted, spoken].some((words) =>
    [...placesOf(words, quoted)].some((at) => !isDeniedBefore(quoted, at, 'clause')),
  );
}

/**
 * Returns whether the quote contains the words of the field, and negates none of them (true) or all of them (false).
 * Structured data has a literal boolean.
 */
function supportsBoolean(value: boolean, fieldName: string, quoted: Quoted): boolean {
  const quotedText = quoted.text.slice(quoted.from, quoted.to);
  if (quoted.isStructured) return (value ? /^(?:true|yes|1)$/ : /^(?:false|no|0)$/).test(quotedText.trim());
  const cues = fieldName
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2 && !/^(?:has|have|the|and|are|was|does|for|offers?|with)$/.test(word))
    .map((cue) => cue.slice(0, Math.max(4, cue.length - 2)));
  return cues.length > 0 && (value ? affirmsCue(cues, quoted) : deniesCue(cues, quoted));
}
