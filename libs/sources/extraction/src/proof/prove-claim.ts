import type { Claim, ProofPage, ProvableSchema, Refusal, Verdict } from './claim.js';
import { foldText, FoldedText } from './folded-text.js';
import { supportsValue } from './supported-value.js';

/** Shorter quotes stand on too many pages to say anything. Source: docs/contract.md#6-go. */
const QUOTE_CHARACTERS_MIN = 12;
const QUOTE_CHARACTERS_MAX = 2_000;
const EXCERPT_CHARACTERS_MAX = 500;
/** Characters of a quote before it is folded; marks that show nothing are few in a text that is meant. */
const WRITTEN_CHARACTERS_MAX = 4 * QUOTE_CHARACTERS_MAX;
/** A quote that stands this often on a page proves nothing more by its other places. */
const PLACES_MAX = 50;
/** Characters of all places together, each with what is read around it: long quotes are compared at fewer places. */
const COMPARED_CHARACTERS_MAX = 20_000;
const AROUND_CHARACTERS = 600;

/** Characters before a place in which the start of its block is looked for: more than a negation reaches. */
const BLOCK_REACH = 300;
const BREAK_REACH = 8;
/** Ends a paragraph, an item of a list, a row or a heading of Markdown. */
const BLOCK_BREAK = /\n(?=[^\S\n]*(?:\n|[-*+]\s|[#>|]|\d{1,3}[.)]\s))/g;

/** Behind the place in a line for programs. */
const LABEL_END = ': ';

/** Of a folded text. */
interface Range {
  from: number;
  to: number;
}

/** A page with its text folded once, however many claims cite it, and not at all where none does. */
export class ReadPageText {
  /** Characters that were compared so far, with those around them. To fold four costs as much as to compare one. */
  comparedCharacters = 0;
  private text: FoldedText | null = null;

  constructor(readonly page: ProofPage) {}

  /** Characters that {@link comparedCharacters} grows by with the first claim that cites the page. */
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

  /** @returns what the page writes at a range of the folded text, in its own case */
  writtenAt(from: number, to: number): string {
    const origin = this.folded.originOf(from, to);
    return this.page.text.slice(origin.from, origin.to);
  }

  /** @returns where in the folded text the paragraph, item or row of a place begins, or as far before it as anything reaches */
  blockOf(at: number): number {
    const origin = this.folded.originOf(at, at + 1).from;
    const start = Math.max(0, origin - BLOCK_REACH);
    const breaks = [...this.page.text.slice(start, origin + BREAK_REACH).matchAll(BLOCK_BREAK)];
    const last = breaks.findLast(({ index }) => start + index < origin);
    return this.folded.placeAt(last ? start + last.index + 1 : start);
  }

  /** @returns where in the folded text the paragraph, item or row of a place ends, or as far behind it as anything reaches */
  blockEndOf(at: number): number {
    const origin = this.folded.originOf(at, at + 1).from;
    const rest = this.page.text.slice(origin, origin + BLOCK_REACH);
    return this.folded.placeAt(origin + (rest.search(BLOCK_BREAK) + 1 || rest.length));
  }

  /** @returns whether a place of the folded text is among the lines that the page states for programs */
  isStructured(at: number): boolean {
    return at >= this.statedFrom;
  }
}

/**
 * Judges a claim by what the page says, without believing whoever claims it: the page was read, the quote stands in it, and the
 * value follows from the quote. Nothing is looked up and nothing is guessed, so that anybody can judge the same again.
 * @param pages by their id, those that this run has read
 * @param schema of the field
 * @returns where the quote stands in the text of the page, or why the claim is refused
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
 * Finds a quote on a page, whatever it is to prove: for words whose meaning code cannot judge.
 * @returns where it stands in the text of the page, or why it is refused
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

/** A cell of a table in Markdown, or what a line for programs says behind its label. */
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

/** Of a line for programs only what stands behind `place: ` is said by the page. @returns null where the quote has none of it */
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

function isOfSchema(value: unknown, { type, enum: options }: ProvableSchema): boolean {
  if (value === null || value === undefined || typeof value === 'object') return false;
  if (typeof value === 'string' && foldText(value) === '') return false;
  if (typeof value === 'number' && !Number.isFinite(value)) return false;
  if (options && !options.includes(value)) return false;
  const types = type === undefined ? [] : [type].flat();
  if (types.length === 0) return true;
  return types.some(
    (each) =>
      each === typeof value || (each === 'integer' && typeof value === 'number' && Number.isInteger(value)),
  );
}
