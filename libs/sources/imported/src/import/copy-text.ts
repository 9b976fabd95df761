import type { Cell, Cells } from '@quarry/extraction';

/** @returns a line of COPY's text format, including its end, with the cells in column order */
export function copyLine(columns: readonly string[], cells: Cells): string {
  return `${columns.map((column) => copyField(cells[column] ?? null)).join('\t')}\n`;
}

function copyField(cell: Cell): string {
  if (cell === null) return '\\N';
  if (typeof cell === 'string') return escapeText(cell);
  if (typeof cell !== 'object') return String(cell);
  return cell.length === 0 ? '{}' : escapeText(`{${cell.map(arrayEntry).join(',')}}`);
}

function arrayEntry(entry: string): string {
  return `"${entry.replace(/[\\"]/g, '\\$&')}"`;
}

const MARKS: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escapeText(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (mark) => MARKS[mark]!) : text;
}
