import type { ColumnJson } from '@quarry/dto';

const CELL_WIDTH_MAX = 38;
const COLUMNS_MAX = 6;
/** Kinds of values that are useless in a narrow cell; below it, kinds that are always shown. */
const HIDDEN_KINDS = ['object', 'experiences', 'educations', 'list', 'url', 'linkedin_url', 'domain'];
const CONTACT_KINDS = ['email', 'phone'];

/** @returns rows as aligned text; long cells are cut, addresses and nested values are omitted */
export function textTable(
  columns: readonly ColumnJson[],
  rows: ReadonlyArray<Record<string, unknown>>,
): string {
  const shown = shownColumns(columns);
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

/** Returns the columns to show: contact columns always, and others as far as they fit, in their order. */
function shownColumns(columns: readonly ColumnJson[]): ColumnJson[] {
  const plain = columns.filter(({ kind }) => !HIDDEN_KINDS.includes(kind));
  const contacts = plain.filter(({ kind }) => CONTACT_KINDS.includes(kind));
  const others = plain.filter(({ kind }) => !CONTACT_KINDS.includes(kind));
  return [...others.slice(0, COLUMNS_MAX - contacts.length), ...contacts];
}
