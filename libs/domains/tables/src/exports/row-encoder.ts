/** Rows of a file as SQL: a FROM clause that provides `cell_values`, and an order. */
export interface RowSource {
  readonly from: string;
  readonly orderBy: string;
}

/** Converts the rows that PostgreSQL's COPY writes into a file. One instance per file. */
export interface RowEncoder {
  /**
   * Returns the COPY statement whose output {@link encode} reads.
   * @param quote returns a text as an SQL literal
   */
  copySql(source: RowSource, quote: (text: string) => string): string;
  /** @returns the beginning of the file */
  head(): Buffer;
  /** @returns the part of the file that these bytes complete, valid until the next call */
  encode(copied: Buffer): Buffer;
  /** @returns the end of the file */
  tail(): Buffer;
  /** Number of rows written. */
  readonly rows: number;
}
