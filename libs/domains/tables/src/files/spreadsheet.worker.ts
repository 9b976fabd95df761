// Runs in a worker thread, in development straight from this text: so it imports packages only.
import { unzipSync } from 'fflate';
import { move } from 'piscina';
import { readSheet } from 'read-excel-file/web-worker';

/** Bytes of a workbook's parts together when they are unpacked: 100,000 rows of 24 columns have some 90 MB. */
const UNPACKED_BYTES_MAX = 96 * 1024 * 1024;

type Cell = string | boolean | Date | null;

/**
 * Reads the first sheet of an XLSX workbook.
 * @param bytes of the file
 * @returns the sheet as CSV in UTF-8, separated by commas: dates as ISO 8601, numbers as the file has them, errors of formulas as
 * nothing; null where the workbook is larger unpacked than is read
 * @throws what the reader throws for a file that is no workbook
 */
export default async function spreadsheetToCsv(bytes: Uint8Array): Promise<Uint8Array | null> {
  if (unpackedLength(bytes) > UNPACKED_BYTES_MAX) return null;
  const rows = (await readSheet(bytes.slice().buffer, { parseNumber: (written) => written })) as Cell[][];
  const csv = new TextEncoder().encode(rows.map(lineOf).join(''));
  return move(csv.buffer) as unknown as Uint8Array;
}

/** By what the archive says of its parts; the reader keeps to it when it unpacks them. */
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

function lineOf(cells: readonly Cell[]): string {
  return `${cells.map(fieldOf).join(',')}\r\n`;
}

function fieldOf(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString().replace('T00:00:00.000Z', '');
  return `"${String(cell).replaceAll('"', '""')}"`;
}
