import { parseJson } from '@quarry/app';
import { isJsonObject } from './column-kinds.js';

// Texts of a batch live until COPY has taken them. This many take little memory, and one turn of the event loop.
const BATCH_ROWS = 500;

/** The rows of an import, as positions in its body. */
export class ImportedRows {
  readonly count: number;
  /** The columns that a row lacks, as a suffix of its text; undefined for a complete row. */
  private readonly missing: Array<string | undefined> = [];
  /** Rows that lack the same columns share one suffix. */
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

  /** Parses one row, and records which columns it lacks. */
  parseRows(at: number): unknown {
    const row = parseJson(this.textOf(at));
    if (isJsonObject(row) && Object.keys(row).length < this.keys.length) this.missing[at] = this.endOf(row);
    return row;
  }

  /** Yields rows that were parsed before as JSON texts, in batches; missing columns are null. */
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
    // Own members only: a column may be called "constructor".
    const members = this.keys
      .filter((key) => !Object.hasOwn(row, key))
      .map((key) => `${JSON.stringify(key)}:null`);
    const end = `${Object.keys(row).length > 0 ? ',' : ''}${members.join(',')}}`;
    const known = this.ends.get(end);
    if (known === undefined) this.ends.set(end, end);
    return known ?? end;
  }
}
