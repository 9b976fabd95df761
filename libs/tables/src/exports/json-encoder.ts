import { ByteWriter } from './byte-writer.js';
import type { RowEncoder } from './row-encoder.js';

const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** An array of the rows' values, a row to a line, as PostgreSQL writes them: nothing here parses them. */
export class JsonEncoder implements RowEncoder {
  private readonly out = new ByteWriter();
  private endsInBackslash = false;
  private lineIsOpen = false;
  rows = 0;

  copySql(rows: string): string {
    return `COPY (SELECT cell_values FROM tables.rows WHERE ${rows} ORDER BY position) TO STDOUT`;
  }

  head(): Buffer {
    return Buffer.from('[');
  }

  /** COPY's text format ends a row with a line break and doubles backslashes; JSON text holds no other special. */
  encode(copied: Buffer): Buffer {
    let from = 0;
    for (let at = 0; at < copied.length; at += 1) {
      const byte = copied[at];
      if (this.endsInBackslash) {
        this.endsInBackslash = false;
        this.emit(copied, from, at);
        from = at + 1;
      } else if (byte === BACKSLASH) this.endsInBackslash = true;
      else if (byte === NEWLINE) {
        this.emit(copied, from, at);
        from = at + 1;
        this.rows += 1;
        this.lineIsOpen = false;
      }
    }
    this.emit(copied, from, copied.length);
    return this.out.take();
  }

  tail(): Buffer {
    return Buffer.from('\n]\n');
  }

  private emit(copied: Buffer, from: number, to: number): void {
    if (to === from) return;
    if (!this.lineIsOpen) {
      if (this.rows > 0) this.out.appendByte(COMMA);
      this.out.appendByte(NEWLINE);
      this.lineIsOpen = true;
    }
    this.out.append(copied, from, to);
  }
}
