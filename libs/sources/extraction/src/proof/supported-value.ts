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

/** A quote at its place: the whole folded page, so that a number cut in half is seen as the number that it was. */
export interface Quoted {
  text: string;
  from: number;
  to: number;
  /** True where it is structured data of the page, where a value is all there is. */
  isStructured: boolean;
  /** Start of the paragraph, item or row in which the quote begins. */
  blockFrom: number;
  /** The paragraph, item or row of a place of the text, as far as anything reaches. */
  blockAt: (at: number) => Block;
  /** Returns the page's own spelling at a range of the text. */
  writtenAt: (from: number, to: number) => string;
}

/** Characters around a quote that are read: more than any number, date or address has. */
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

/** The quote with the part of the page around it, so that large pages cost no more than small ones. */
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

/** Returns whether the page asserts what stands at a place; what it states for programs it does. */
function standsIn(place: Block, quoted: Quoted): boolean {
  return quoted.isStructured || isAsserted(quoted.text, place, quoted.blockAt(place.from));
}

function supportsNumber(value: number, quoted: Quoted): boolean {
  const isProof = (token: Token<unknown>): boolean => isInside(token, quoted) && standsIn(token, quoted);
  if (numbersIn(quoted.text).some((token) => token.value === value && isProof(token))) return true;
  // A day says its year: 1911-03-04.
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
  // A question that is quoted whole says itself what it is; a number out of it is no answer.
  const isNumber = /\d/.test(wanted) && !wanted.endsWith('?');
  return [...placesOf(wanted, quoted)].some((at) =>
    isNumber
      ? standsIn({ from: at, to: at + wanted.length }, quoted)
      : quoted.isStructured || !isDeniedBefore(quoted, at, 'phrase'),
  );
}

/** A number to call is written in one line; behind a hard break of Markdown something else begins, such as a postcode. */
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

/** A moment that the page writes as one; a mere day is no moment. */
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

/** Host and scheme without case, a slash at the end is none; the path is what it is. `www.` alone is of the secure scheme. */
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

/** @returns whether the words stand in the quote, and are no part of longer words or numbers there */
function containsWords(wanted: string, quoted: Quoted): boolean {
  return !placesOf(wanted, quoted).next().done;
}

/** @returns where the words stand in the quote, and are no part of longer words or numbers there */
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

/** @returns whether a word or number ends at a character, looking in one direction */
function isEdge(text: string, at: number, step: 1 | -1): boolean {
  const own = text[at]!;
  const next = text[at + step] ?? '';
  if (!WORD.test(own)) return true;
  // Letters beyond the first plane have two units; neither is a boundary.
  if (WORD.test(next) || /[\ud800-\udfff]/.test(next)) return false;
  return !(/\d/.test(own) && /[.,'/:-]/.test(next) && /\d/.test(text[at + 2 * step] ?? ''));
}

/** An option follows from its own words, or from a name that programs write without spaces, unless they are denied. */
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

/** The words of the field stand in the quote, and nothing denies them, or that is all it does. Programs say it outright. */
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
