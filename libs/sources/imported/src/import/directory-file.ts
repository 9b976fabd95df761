/** One line of a file: its fields in the order of the header, and the number of the line on which it ends. */
export interface FileRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/** A file of companies or people, whatever its format. It can be read several times. */
export interface DirectoryFile {
  /** Names of its columns. */
  readonly header: readonly string[];
  /** @param onProgress told the part that is read, 0 to 1 */
  batches(onProgress?: (part: number) => void): AsyncIterable<readonly FileRecord[]>;
}
