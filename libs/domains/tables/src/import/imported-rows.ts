import { parseJson } from '@quarry/app';
import { isJsonObject } from './column-kinds.js';

// Texts of a row live until COPY has taken them; this many weigh little, and a batch costs one turn only.
const BATCH_ROWS = 500;

/** The rows of an import, as places in its body. */
export class ImportedRows {
  readonly count: number;
  /** Missing columns of a row, as the end of its text; nothing for a row with every column. */
  private readonly missing: Array<string | undefined> = [];
  /** Rows that lack the same share the text. */
  private readonly ends = new Map<string, string>();

  /**
   * @param items start and end of each row in the body
   * @param keys of all columns
   */
  constructor(
    private readonly body: string,
    private readonly items: readonly number[],
    private readonly keys: readonly string[],
  ) {
    this.count = items.length / 2;
  }

  /** Parses one row, and notes what it lacks. */
  parseRows(at: number): unknown {
    const row = parseJson(this.textOf(at));
    if (isJsonObject(row) && Object.keys(row).length < this.keys.length) this.missing[at] = this.endOf(row);
    return row;
  }

  /** The rows as JSON texts with every column, a missing one as null; a batch at a time. For rows that were parsed. */
  *readTexts(): Generator<string[]> {
    for (let from = 0; from < this.count; from += BATCH_ROWS)
      yield Array.from({ length: Math.min(BATCH_ROWS, this.count - from) }, (_, i) =>
        this.fullText(from + i),
      );
  }

  private textOf(at: number): string {
    return this.body.slice(this.items[2 * at], this.items[2 * at + 1]);
  }

  private fullText(at: number): string {
    const text = this.textOf(at);
    const end = this.missing[at];
    return end === undefined ? text : text.slice(0, text.lastIndexOf('}')) + end;
  }

  private endOf(row: Record<string, unknown>): string {
    // A column may be called "constructor": only what the row itself has counts.
    const members = this.keys
      .filter((key) => !Object.hasOwn(row, key))
      .map((key) => `${JSON.stringify(key)}:null`);
    const end = `${Object.keys(row).length > 0 ? ',' : ''}${members.join(',')}}`;
    const known = this.ends.get(end);
    if (known === undefined) this.ends.set(end, end);
    return known ?? end;
  }
}
