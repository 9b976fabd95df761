import { cellText, type ColumnKind } from '@quarry/dto';
import { parseJson } from '@quarry/app';
import { ByteWriter } from './byte-writer.js';
import { csvHeader, formulaSafe, isPlainStart } from './csv.js';
import type { ExportColumn } from './export-formats.js';
import type { RowEncoder, RowSource } from './row-encoder.js';

const QUOTE = 0x22;
const NEWLINE = 0x0a;
const RECORD_END = '\r\n';

/** Kinds whose values are lists. They come from PostgreSQL as JSON and are converted to text here. */
const LIST_KINDS: ReadonlySet<ColumnKind> = new Set(['list', 'experiences', 'educations']);
/** PostgreSQL prints no exponents. The shortest number that JSON prints with one is 1e-7, here 0.0000001. */
const SHORT_NUMBER = 8;

/**
 * CSV by RFC 4180. PostgreSQL writes and quotes the fields, faster than anything here could. This class scans them once and
 * copies them unchanged, except for cells that a spreadsheet could execute, numbers that JSON prints differently, and lists.
 */
export class CsvEncoder implements RowEncoder {
  private readonly out = new ByteWriter();
  /** The beginning of an incomplete field. */
  private rest = Buffer.alloc(0);
  private column = 0;
  rows = 0;

  /** @param hasBom whether the file begins with a byte order mark, by which Excel recognises UTF-8 */
  constructor(
    private readonly columns: readonly ExportColumn[],
    private readonly hasBom = false,
  ) {}

  copySql({ from, orderBy }: RowSource, quote: (text: string) => string): string {
    const fields = this.columns.map(({ key, kind }) => {
      const name = quote(key);
      // A list is written as its JSON, any other value as its text, a missing one as an empty field.
      return LIST_KINDS.has(kind)
        ? `coalesce((cell_values -> ${name})::text, '')`
        : `coalesce(cell_values ->> ${name}, '')`;
    });
    return `COPY (SELECT ${fields.join(', ')} FROM ${from} ORDER BY ${orderBy})
      TO STDOUT (FORMAT csv, FORCE_QUOTE *)`;
  }

  head(): Buffer {
    return Buffer.from((this.hasBom ? '\ufeff' : '') + csvHeader(this.columns));
  }

  encode(copied: Buffer): Buffer {
    const input = this.rest.length === 0 ? copied : Buffer.concat([this.rest, copied]);
    // Everything before `kept` is written, everything before `field` is checked.
    let kept = 0;
    let field = 0;
    for (;;) {
      const close = closingQuote(input, field + 1);
      // The next byte decides whether this quote ends the field or is the first half of a doubled one.
      if (close < 0) break;
      const text = this.changedField(input, field + 1, close);
      if (text !== null) {
        this.out.append(input, kept, field + 1);
        this.out.appendText(text);
        kept = close;
      }
      field = close + 2;
      this.column += 1;
      if (input[close + 1] !== NEWLINE) continue;
      this.out.append(input, kept, close + 1);
      this.out.appendText(RECORD_END);
      kept = field;
      this.column = 0;
      this.rows += 1;
    }
    this.out.append(input, kept, field);
    // A copy, because the bytes belong to the socket's buffer.
    this.rest = Buffer.from(input.subarray(field));
    return this.out.take();
  }

  tail(): Buffer {
    return Buffer.alloc(0);
  }

  /** @returns the replacement for the content between the quotes, or null to keep it */
  private changedField(input: Buffer, from: number, to: number): string | null {
    const { kind } = this.columns[this.column]!;
    if (from === to) return null;
    if (LIST_KINDS.has(kind)) {
      const json = unquoteText(input.toString('utf8', from, to));
      return quoteText(formulaSafe(cellText(kind, parseJson(json))));
    }
    const isPlain = isPlainStart(input[from]!);
    if (isPlain && (kind !== 'number' || to - from <= SHORT_NUMBER)) return null;
    const text = unquoteText(input.toString('utf8', from, to));
    const shown = kind === 'number' ? numberText(text) : formulaSafe(text);
    return shown === text ? null : quoteText(shown);
  }
}

/** @returns the position of the quote that ends the field; -1 when it, or the byte after it, has not arrived yet */
function closingQuote(input: Buffer, from: number): number {
  for (let at = from; at < input.length - 1; at += 1) {
    if (input[at] !== QUOTE) continue;
    if (input[at + 1] !== QUOTE) return at;
    at += 1;
  }
  return -1;
}

/** @returns a number as JSON prints it, with an exponent when it would be long; other texts made safe for spreadsheets */
function numberText(text: string): string {
  const json = String(Number(text));
  return /\de/.test(json) ? json : formulaSafe(text);
}

function unquoteText(text: string): string {
  return text.includes('"') ? text.replaceAll('""', '"') : text;
}

function quoteText(text: string): string {
  return text.includes('"') ? text.replaceAll('"', '""') : text;
}
