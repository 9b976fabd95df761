/** Rows that a file is made of, in SQL: what to read, with `cell_values` in it, and in which order. */
export interface RowSource {
  readonly from: string;
  readonly orderBy: string;
}

/** Makes a file of what PostgreSQL's COPY writes of a table's rows. One for each file. */
export interface RowEncoder {
  /**
   * The COPY statement whose output {@link encode} reads.
   * @param quote writes a text as an SQL literal
   */
  copySql(source: RowSource, quote: (text: string) => string): string;
  /** @returns the beginning of the file */
  head(): Buffer;
  /** @returns the part of the file that these bytes complete, valid until the next call */
  encode(copied: Buffer): Buffer;
  /** @returns the end of the file */
  tail(): Buffer;
  /** Rows that have been written. */
  readonly rows: number;
}
