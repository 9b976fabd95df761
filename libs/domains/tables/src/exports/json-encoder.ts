import { ByteWriter } from './byte-writer.js';
import type { ExportColumn } from './export-formats.js';
import type { RowEncoder, RowSource } from './row-encoder.js';

const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** A PostgreSQL function takes at most 100 arguments: fifty keys with their values. */
const PAIRS_MAX = 50;

/** Writes an array of the rows' values, one row per line, as PostgreSQL prints them. Nothing is parsed here. */
export class JsonEncoder implements RowEncoder {
  private readonly out = new ByteWriter();
  private endsInBackslash = false;
  private lineIsOpen = false;
  rows = 0;

  /** @param columns the columns of each object; all values when left out */
  constructor(private readonly columns: readonly ExportColumn[] | null = null) {}

  copySql({ from, orderBy }: RowSource, quote: (text: string) => string): string {
    return `COPY (SELECT ${this.valuesSql(quote)} FROM ${from} ORDER BY ${orderBy}) TO STDOUT`;
  }

  head(): Buffer {
    return Buffer.from('[');
  }

  /** COPY's text format ends a row with a line break and doubles backslashes; JSON text contains no other special characters. */
  encode(copied: Buffer): Buffer {
    let from = 0;
    for (let at = 0; at < copied.length; at += 1) {
      const byte = copied[at];
      if (this.endsInBackslash) {
        this.endsInBackslash = false;
        this.emitBytes(copied, from, at);
        from = at + 1;
      } else if (byte === BACKSLASH) this.endsInBackslash = true;
      else if (byte === NEWLINE) {
        this.emitBytes(copied, from, at);
        from = at + 1;
        this.rows += 1;
        this.lineIsOpen = false;
      }
    }
    this.emitBytes(copied, from, copied.length);
    return this.out.take();
  }

  tail(): Buffer {
    return Buffer.from('\n]\n');
  }

  private valuesSql(quote: (text: string) => string): string {
    if (this.columns === null) return 'cell_values';
    const pairs = this.columns.map(
      ({ key, header = key }) => `${quote(header)}, cell_values -> ${quote(key)}`,
    );
    const parts = Array.from({ length: Math.ceil(pairs.length / PAIRS_MAX) }, (_, part) =>
      pairs.slice(part * PAIRS_MAX, (part + 1) * PAIRS_MAX).join(', '),
    );
    return parts.map((part) => `jsonb_build_object(${part})`).join(' || ');
  }

  private emitBytes(copied: Buffer, from: number, to: number): void {
    if (to === from) return;
    if (!this.lineIsOpen) {
      if (this.rows > 0) this.out.appendByte(COMMA);
      this.out.appendByte(NEWLINE);
      this.lineIsOpen = true;
    }
    this.out.append(copied, from, to);
  }
}
