/** Makes a file of what PostgreSQL's COPY writes of a table's rows. One for each file. */
export interface RowEncoder {
  /**
   * The COPY statement whose output {@link encode} reads.
   * @param rows a condition on `tables.rows`
   * @param quote writes a text as an SQL literal
   */
  copySql(rows: string, quote: (text: string) => string): string;
  /** @returns the beginning of the file */
  head(): Buffer;
  /** @returns the part of the file that these bytes complete, valid until the next call */
  encode(copied: Buffer): Buffer;
  /** @returns the end of the file */
  tail(): Buffer;
  /** Rows that have been written. */
  readonly rows: number;
}
