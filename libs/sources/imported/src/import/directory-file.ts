/** Record of a file: its fields in the order of the header, and the number of its last line. */
export interface FileRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/** File of companies or people, in any format. It can be read several times. */
export interface DirectoryFile {
  /** Names of its columns. */
  readonly header: readonly string[];
  /** @param onProgress called with the part read so far, 0 to 1 */
  batches(onProgress?: (part: number) => void): AsyncIterable<readonly FileRecord[]>;
}
