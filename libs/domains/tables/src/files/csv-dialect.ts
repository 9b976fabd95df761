import { parse, type Options } from 'csv-parse/sync';
import { cellOf, TextKindInference } from './csv-cell.js';

export interface CsvDialect {
  delimiter: string;
  /** Number of the line on which the rows begin, from 1: the second one when the first declares the delimiter. */
  firstLine: number;
  hasHeader: boolean;
}

const DELIMITERS = [',', ';', '\t', '|'];
/**
 * Delimiter for files with a single column, such as names, where “Beta, Inc” is one cell: the unit separator, which occurs in no
 * text.
 */
const NO_DELIMITER = '\u001f';
const SAMPLE_RECORDS = 200;

/** Options for sniffing and for reading. Quotes inside an unquoted field (5" pipe) are kept as they are. */
export const CSV_OPTIONS: Options<string[], string[]> = {
  // All three, because a file that was pasted together may mix line endings.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  // Limits what a quote that is never closed can swallow; the widest row has 200 cells of 32 KiB.
  max_record_size: 8 * 1024 * 1024,
};

/** Returns whether a record is empty: spreadsheets write lines of separators alone for rows that were cleared. */
export function isBlank(record: readonly string[]): boolean {
  return record.every((field) => field === '');
}

/**
 * Detects the dialect of a file from its beginning.
 * @param sample first part of the file
 * @param isWhole whether the sample is the whole file; otherwise its last record counts as cut
 */
export function findDialect(sample: string, isWhole: boolean): CsvDialect {
  // Excel's declaration of the delimiter, which it does not show as a row.
  const declared = /^sep=([,;\t|])[\r\n]/i.exec(sample)?.[1];
  const firstLine = declared === undefined ? 1 : 2;
  const tried = (declared === undefined ? DELIMITERS : [declared]).map((delimiter) => ({
    delimiter,
    records: recordsOf(sample, { delimiter, from_line: firstLine }, isWhole),
  }));
  // The first one wins a tie.
  const best = tried.reduce((found, next) =>
    evennessOf(next.records) > evennessOf(found.records) ? next : found,
  );
  const isOneColumn =
    evennessOf(best.records) === 0 && tried.every(({ records }) => records[0]?.length === 1);
  const delimiter = isOneColumn && declared === undefined ? NO_DELIMITER : best.delimiter;
  return { delimiter, firstLine, hasHeader: looksHeaded(best.records) };
}

function recordsOf(
  sample: string,
  options: Pick<Options, 'delimiter' | 'from_line'>,
  isWhole: boolean,
): string[][] {
  const records: string[][] = [];
  const keep = (record: string[]) => void records.push(record);
  try {
    parse(sample, { ...CSV_OPTIONS, ...options, to: SAMPLE_RECORDS, on_record: keep });
  } catch {
    // A sample that ends within quotes: the records before them are enough.
    return records.filter((record) => !isBlank(record));
  }
  const whole = isWhole || records.length === SAMPLE_RECORDS ? records : records.slice(0, -1);
  return whole.filter((record) => !isBlank(record));
}

/** Returns whether a delimiter has cut a quoted text: for `"Acme","a;b"` a semicolon gives the cell `"Acme","a`. */
function isCut(record: readonly string[]): boolean {
  return record.some((field) => /[,;\t|]"/.test(field));
}

/** Rates a delimiter: best if it divides all rows, including the first, into the same number of cells, and into many. */
function evennessOf(records: string[][]): number {
  const counts = new Map<number, number>();
  for (const record of records)
    if (!isCut(record)) counts.set(record.length, (counts.get(record.length) ?? 0) + 1);
  const [width, rows] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most), [1, 0]);
  const share = rows / records.length;
  const isHeadAlike = records[0]?.length === width;
  return width === 1 ? 0 : share ** 3 * (1 - 1 / width) * (isHeadAlike ? 1 : 0.5);
}

/**
 * Treats the first row as a header unless one of its cells is an address, a number or a date like all cells below it, and no cell
 * is a word above such a column.
 */
function looksHeaded([first = [], ...rest]: string[][]): boolean {
  const words = first.map((field) => kindOf([field]));
  const below = first.map((_, at) => kindOf(rest.map((record) => record[at] ?? '')));
  const isHeaded = below.some((kind, at) => kind !== 'text' && words[at] === 'text');
  const isData = below.some((kind, at) => kind !== 'text' && words[at] === kind);
  return isHeaded || !isData;
}

function kindOf(fields: string[]): string {
  const inference = new TextKindInference();
  for (const field of fields) {
    const text = cellOf(field);
    if (text !== null) inference.observe(text);
  }
  return inference.kind;
}
