/** Returns the words of a list, which commas separate. */
export function wordList(text: string): string[] {
  return text.trim() === '' ? [] : text.trim().split(/,\s+/);
}

/** Returns the rows of a table that is written as text: bars separate the cells, and a line that is indented more continues a row. */
export function wordTable<Row>(text: string, rowOf: (...cells: string[]) => Row): Row[] {
  const [indent] = /^\n */.exec(text)!;
  const rows = text.trimEnd().split(new RegExp(`${indent}(?=\\S)`));
  return rows.slice(1).map((row) => rowOf(...row.split('|').map((cell) => cell.trim())));
}
