import type { ColumnJson } from '@quarry/dto';

const CELL_WIDTH_MAX = 30;
const COLUMNS_MAX = 7;

/** @returns rows as aligned text; long cells are cut, and nested values are left out */
export function textTable(
  columns: readonly ColumnJson[],
  rows: ReadonlyArray<Record<string, unknown>>,
): string {
  const shown = columns
    .filter(({ kind }) => !['object', 'experiences', 'educations', 'list'].includes(kind))
    .slice(0, COLUMNS_MAX);
  const cells = [
    shown.map(({ name }) => name),
    ...rows.map((row) => shown.map(({ key }) => cellText(row[key]))),
  ];
  const widths = shown.map((_, i) => Math.max(...cells.map((line) => line[i]!.length)));
  const lines = cells.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '));
  return lines.map((line) => `  ${line}`).join('\n');
}

function cellText(value: unknown): string {
  const text =
    typeof value === 'string' ? value : value === null || value === undefined ? '–' : JSON.stringify(value);
  const plain = text.replace(/\s+/g, ' ').replace(/^https?:\/\/(www\.)?/, '');
  return plain.length > CELL_WIDTH_MAX ? `${plain.slice(0, CELL_WIDTH_MAX - 1)}…` : plain;
}
