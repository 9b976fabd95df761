import { isWithinLimits } from '@quarry/dto';
import type { Claim, ProofPage, ProvableSchema, Refusal, Verdict } from './claim.js';
import { foldText, FoldedText } from './folded-text.js';
import { supportsValue } from './supported-value.js';

/** Minimum length of a quote: shorter ones occur on too many pages to be evidence. Source: docs/contract.md#6-go. */
const QUOTE_CHARACTERS_MIN = 12;
const QUOTE_CHARACTERS_MAX = 2_000;
const EXCERPT_CHARACTERS_MAX = 500;
/** Maximum length of a quote before folding; a genuine text has few invisible characters. */
const WRITTEN_CHARACTERS_MAX = 4 * QUOTE_CHARACTERS_MAX;
/** Maximum number of occurrences of a quote that are checked. */
const PLACES_MAX = 50;
/**
 * Maximum number of characters compared over all occurrences, including their surroundings: long quotes are checked at
 * fewer places.
 */
const COMPARED_CHARACTERS_MAX = 20_000;
const AROUND_CHARACTERS = 600;

/** Number of characters in which the start of a block is searched: more than the reach of a negation. */
const BLOCK_REACH = 300;
const BREAK_REACH = 8;
/** End of a Markdown paragraph, list item, table row or heading. */
const BLOCK_BREAK = /\n(?=[^\S\n]*(?:\n|[-*+]\s|[#>|]|\d{1,3}[.)]\s))/g;

/** Separator between place and value in a line of structured data. */
const LABEL_END = ': ';

/** Range in a folded text. */
interface Range {
  from: number;
  to: number;
}

/** Page whose text is folded once, when the first claim cites it. */
export class ReadPageText {
  /**
   * Number of characters compared so far, including their surroundings. Folding four characters costs as much as comparing
   * one.
   */
  comparedCharacters = 0;
  private text: FoldedText | null = null;

  constructor(readonly page: ProofPage) {}

  /** Amount that the first claim citing the page adds to {@link comparedCharacters}. */
  get foldingCharacters(): number {
    return this.text === null ? Math.ceil(this.page.text.length / 4) : 0;
  }

  get folded(): FoldedText {
    this.comparedCharacters += this.foldingCharacters;
    return (this.text ??= new FoldedText(this.page.text));
  }

  private get statedFrom(): number {
    const { statedFrom, text } = this.page;
    return statedFrom >= text.length ? Infinity : this.folded.placeAt(statedFrom);
  }

  /** @returns the original text for a range of the folded text */
  writtenAt(from: number, to: number): string {
    const origin = this.folded.originOf(from, to);
    return this.page.text.slice(origin.from, origin.to);
  }

  /**
   * @returns the start of the paragraph, list item or row at an offset of the folded text, at most {@link BLOCK_REACH} before
   *   it
   */
  blockOf(at: number): number {
    const origin = this.folded.originOf(at, at + 1).from;
    const start = Math.max(0, origin - BLOCK_REACH);
    const breaks = [...this.page.text.slice(start, origin + BREAK_REACH).matchAll(BLOCK_BREAK)];
    const last = breaks.findLast(({ index }) => start + index < origin);
    return this.folded.placeAt(last ? start + last.index + 1 : start);
  }

  /**
   * @returns the end of the paragraph, list item or row at an offset of the folded text, at most {@link BLOCK_REACH} after it
   */
  blockEndOf(at: number): number {
    const origin = this.folded.originOf(at, at + 1).from;
    const rest = this.page.text.slice(origin, origin + BLOCK_REACH);
    return this.folded.placeAt(origin + (rest.search(BLOCK_BREAK) + 1 || rest.length));
  }

  /** @returns whether an offset of the folded text is in the lines of structured data */
  isStructured(at: number): boolean {
    return at >= this.statedFrom;
  }
}

/**
 * Checks a claim against the page, without trusting the claimant: the page was read, the quote occurs in it, and the value
 * follows from the quote. Nothing is looked up or guessed, so the check is reproducible.
 * @param pages that this run has read, by id
 * @param schema of the field
 * @returns the position of the quote in the text of the page, or the reason of the refusal
 */
export function proveClaim(
  claim: Claim,
  schema: ProvableSchema,
  pages: ReadonlyMap<string, ReadPageText>,
  fieldName: string,
): Verdict {
  const text = pages.get(claim.pageId);
  if (!text) return refusedVerdict('page_not_read');
  if (claim.quote.length > WRITTEN_CHARACTERS_MAX) return refusedVerdict('quote_not_in_page');
  if (typeof claim.value === 'string' && claim.value.length > WRITTEN_CHARACTERS_MAX)
    return refusedVerdict('value_not_in_quote');
  if (!isOfSchema(claim.value, schema)) return refusedVerdict('value_not_in_schema');
  const quote = foldText(claim.quote);
  if (quote === '') return refusedVerdict('quote_too_short');
  if (quote.length > QUOTE_CHARACTERS_MAX) return refusedVerdict('quote_not_in_page');
  let refusal: Refusal = 'quote_not_in_page';
  for (const from of placesOf(quote, text.folded.text)) {
    const range = { from, to: from + quote.length };
    text.comparedCharacters += quote.length + AROUND_CHARACTERS;
    if (quote.length < QUOTE_CHARACTERS_MIN && !isWholeCell(text, range)) {
      refusal = 'quote_too_short';
      continue;
    }
    const spoken = text.isStructured(from) ? withoutLabel(text, range) : range;
    if (
      spoken &&
      supportsValue(claim.value, schema, fieldName, {
        text: text.folded.text,
        ...spoken,
        isStructured: text.isStructured(from),
        blockFrom: text.blockOf(spoken.from),
        blockAt: (at) => ({ from: text.blockOf(at), to: text.blockEndOf(at) }),
        writtenAt: (start, end) => text.writtenAt(start, end),
      })
    ) {
      const origin = text.folded.originOf(range.from, range.to);
      return { kind: 'proved', range: origin, excerpt: excerptOf(text.page.text, origin) };
    }
    refusal = 'value_not_in_quote';
  }
  return refusedVerdict(refusal);
}

/**
 * Finds a quote on a page without checking a value: for text whose meaning code cannot check.
 * @returns its position in the text of the page, or the reason of the refusal
 */
export function proveQuote(
  { pageId, quote }: Pick<Claim, 'pageId' | 'quote'>,
  pages: ReadonlyMap<string, ReadPageText>,
): Verdict {
  const text = pages.get(pageId);
  if (!text) return refusedVerdict('page_not_read');
  if (quote.length > WRITTEN_CHARACTERS_MAX) return refusedVerdict('quote_not_in_page');
  const folded = foldText(quote);
  if (folded.length < QUOTE_CHARACTERS_MIN) return refusedVerdict('quote_too_short');
  const from = folded.length > QUOTE_CHARACTERS_MAX ? -1 : text.folded.text.indexOf(folded);
  if (from < 0) return refusedVerdict('quote_not_in_page');
  const origin = text.folded.originOf(from, from + folded.length);
  return { kind: 'proved', range: origin, excerpt: excerptOf(text.page.text, origin) };
}

function refusedVerdict(refusal: Refusal): Verdict {
  return { kind: 'refused', refusal };
}

function* placesOf(quote: string, text: string): Generator<number> {
  const most = Math.min(PLACES_MAX, Math.floor(COMPARED_CHARACTERS_MAX / (quote.length + AROUND_CHARACTERS)));
  let at = text.indexOf(quote);
  for (let n = 0; at >= 0 && n < most; n += 1) {
    yield at;
    at = text.indexOf(quote, at + 1);
  }
}

/** Returns whether a range is a whole cell of a Markdown table, or the whole value in a line of structured data. */
function isWholeCell(text: ReadPageText, { from, to }: Range): boolean {
  const { folded } = text;
  const before = folded.text.slice(0, from).trimEnd();
  const original = text.page.text;
  const origin = folded.originOf(from, to);
  const lineEnds = /^[^\S\n]*(?:\n|$)/.test(original.slice(origin.to, origin.to + 200));
  if (text.isStructured(from)) return before.endsWith(':') && lineEnds;
  const lineBegins = /(?:^|\n)[^\S\n]*$/.test(original.slice(Math.max(0, origin.from - 200), origin.from));
  const isRow = original
    .slice(original.lastIndexOf('\n', origin.from) + 1)
    .split('\n', 1)[0]!
    .includes('|');
  const begins = before.endsWith('|') || lineBegins;
  const ends = folded.text.slice(to).trimStart().startsWith('|') || lineEnds;
  return isRow && begins && ends;
}

/**
 * Removes the `place: ` label from a quote in a line of structured data: only the value is evidence.
 * @returns null when no part of the value is quoted
 */
function withoutLabel({ folded, page }: ReadPageText, range: Range): Range | null {
  const origin = folded.originOf(range.from, range.to);
  if (page.text.slice(origin.from, origin.to).trim().includes('\n')) return null;
  const line = page.text.lastIndexOf('\n', origin.from - 1) + 1;
  const label = page.text.indexOf(LABEL_END, line);
  if (label < 0) return null;
  const from = Math.max(range.from, folded.placeAt(label + LABEL_END.length));
  return from < range.to ? { from, to: range.to } : null;
}

function excerptOf(text: string, { from, to }: { from: number; to: number }): string {
  const excerpt = text.slice(from, to).replace(/\s+/g, ' ').trim();
  return excerpt.length <= EXCERPT_CHARACTERS_MAX
    ? excerpt
    : `${excerpt.slice(0, EXCERPT_CHARACTERS_MAX - 1)}…`;
}

function isOfSchema(value: unknown, schema: ProvableSchema): boolean {
  const { type, enum: options } = schema;
  if (value === null || value === undefined || typeof value === 'object') return false;
  if (typeof value === 'string' && foldText(value) === '') return false;
  if (typeof value === 'number' && !Number.isFinite(value)) return false;
  if (options && !options.includes(value)) return false;
  if (!isWithinLimits(value, schema)) return false;
  const types = type === undefined ? [] : [type].flat();
  if (types.length === 0) return true;
  return types.some(
    (each) =>
      each === typeof value || (each === 'integer' && typeof value === 'number' && Number.isInteger(value)),
  );
}
