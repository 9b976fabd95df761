// Runs in a worker thread, in development directly from this source, so it may import packages only.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { move } from 'piscina';
import { readSheet } from 'read-excel-file/web-worker';

/**
 * Most bytes of a workbook's unpacked parts: 100,000 rows of 24 columns have some 90 MB. Also of the CSV file, in which each cell
 * has its own copy of a text that the workbook contains once.
 */
const UNPACKED_BYTES_MAX = 96 * 1024 * 1024;

const DAY_MS = 86_400_000;
/** Excel's 1 January and 29 February 1900, as the reader returns them. */
const FIRST_DAY = new Date('1899-12-31');
const LAST_DAY = new Date('1900-02-28');

type Cell = string | boolean | Date | null;

/**
 * Reads the first visible sheet of an XLSX workbook.
 * @param bytes of the file
 * @returns the sheet as CSV in UTF-8, separated by commas: dates and times as ISO 8601, numbers with all digits of the file,
 * errors of formulas and a title above the header as empty; null when the unpacked workbook or its CSV file is too large
 * @throws what the reader throws for a file that is no workbook
 */
export default async function spreadsheetToCsv(bytes: Uint8Array): Promise<Uint8Array | null> {
  if (unpackedLength(bytes) > UNPACKED_BYTES_MAX) return null;
  const { archive, workbook } = unpackedCopy(bytes);
  const options = { parseNumber: shortestNumber };
  const rows = (await readSheet(archive, firstShown(workbook), options)) as Cell[][];
  const lines: string[] = [];
  let length = 0;
  for (const row of withoutTitle(rows)) {
    const line = lineOf(row);
    length += Buffer.byteLength(line);
    if (length > UNPACKED_BYTES_MAX) return null;
    lines.push(line);
  }
  const csv = new TextEncoder().encode(lines.join(''));
  return move(csv.buffer) as unknown as Uint8Array;
}

/**
 * Returns an archive of the same XML without compression. The reader starts a thread for each large compressed part, and from
 * within this thread some of those never answer: of 60 workbooks with a part of 1 MB, 3 to 5 were never read (Node 24.21).
 */
function unpackedCopy(bytes: Uint8Array): { archive: ArrayBuffer; workbook: string } {
  const parts = unzipSync(bytes, { filter: ({ name }) => /\.(xml|rels)$/.test(name) });
  const written = strFromU8(parts['xl/workbook.xml'] ?? new Uint8Array());
  // LibreOffice writes `true`, of which the reader knows only `1`: every date would be four years early.
  const workbook = written.replace(/(?<=\sdate1904=["'])true(?=["'])/, '1');
  if (workbook !== written) parts['xl/workbook.xml'] = strToU8(workbook);
  return { archive: zipSync(parts, { level: 0 }).buffer as ArrayBuffer, workbook };
}

/** Returns the number of the first visible sheet, or 1. */
function firstShown(workbook: string): number {
  const sheets = workbook.match(/<(?:\w+:)?sheet\s[^<>]*>/g) ?? [];
  return sheets.findIndex((sheet) => !/\sstate=["'](?:hidden|veryHidden)["']/.test(sheet)) + 1 || 1;
}

/** Sums the sizes that the archive declares; the unpacker enforces them. */
function unpackedLength(bytes: Uint8Array): number {
  let sum = 0;
  unzipSync(bytes, {
    filter: ({ originalSize }) => {
      sum += originalSize;
      return false;
    },
  });
  return sum;
}

/**
 * Removes a title: a single cell above a header and rows of several cells. Its row stays as an empty one, so that row numbers
 * match Excel's.
 */
function withoutTitle(rows: Cell[][]): Cell[][] {
  const [title, ...others] = rows.filter((row) => filledIn(row) > 0).slice(0, 3);
  const isTitle = others.length === 2 && filledIn(title!) === 1 && others.every((row) => filledIn(row) > 1);
  return isTitle ? rows.map((row) => (row === title ? row.map(() => null) : row)) : rows;
}

function filledIn(row: readonly Cell[]): number {
  return row.filter((cell) => cell !== null).length;
}

function lineOf(cells: readonly Cell[]): string {
  return `${cells.map(fieldOf).join(',')}\r\n`;
}

function fieldOf(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) {
    // The reader cuts fractions of a millisecond off: every third full minute would be 59.999 seconds.
    const roundingMs = cell.getUTCMilliseconds() === 999 ? 1 : 0;
    return timeOf(new Date(cell.getTime() + roundingMs + (isBeforeLeapDay(cell) ? DAY_MS : 0)).toISOString());
  }
  return `"${String(cell).replaceAll('"', '""')}"`;
}

/** Excel has a 29 February 1900, which did not exist: for dates before it the reader returns the day before. */
function isBeforeLeapDay(time: Date): boolean {
  return time >= FIRST_DAY && time < LAST_DAY;
}

/** Times without a date are stored on the day from which Excel counts. */
function timeOf(iso: string): string {
  return iso.startsWith('1899-12-30T') ? iso.slice(11, 19) : iso.replace('T00:00:00.000Z', '');
}

/**
 * Returns a number in its shortest form: Excel writes 1.1 as 1.1000000000000001, with the seventeen digits that identify a
 * double. Texts with more digits than a double can hold are kept unchanged.
 */
function shortestNumber(written: string): string {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(written)) return written;
  const number = Number(written);
  const shortest = String(number);
  const isSame = [shortest, number.toExponential(16)].some((form) => digitsOf(form) === digitsOf(written));
  return isSame ? shortest : written;
}

function digitsOf(number: string): string {
  return number
    .replace(/e.*$/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');
}
