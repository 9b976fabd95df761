import type { ShownColumn } from './columns';
import type { RowPages } from './row-pages';
import { valueText } from './value-text';

/** A place in the grid: row and column by number, -1 for the row's marker. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Numbers of rows and columns; `pageRows` is the number of visible rows. */
export interface GridSize {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly pageRows: number;
}

/** Selected places, each end included. */
export interface Range {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/**
 * Returns the place after a key press, which may lie outside of the grid; null for other keys.
 * @param isJump whether to move to the end of the row or column
 */
export function placeAfterKey(
  key: string,
  isJump: boolean,
  { row, column }: Place,
  { rowCount, columnCount, pageRows }: GridSize,
): Place | null {
  switch (key) {
    case 'ArrowUp':
      return { row: isJump ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: isJump ? rowCount - 1 : row + 1, column };
    case 'ArrowLeft':
      return { row, column: isJump ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: isJump ? columnCount - 1 : column + 1 };
    case 'Home':
      return { row: isJump ? 0 : row, column: 0 };
    case 'End':
      return { row: isJump ? rowCount - 1 : row, column: columnCount - 1 };
    case 'PageUp':
      return { row: row - pageRows, column };
    case 'PageDown':
      return { row: row + pageRows, column };
    default:
      return null;
  }
}

/** Returns the nearest place within the grid. */
export function placeWithin({ row, column }: Place, { rowCount, columnCount }: GridSize): Place {
  return {
    row: Math.max(0, Math.min(rowCount - 1, row)),
    column: Math.max(-1, Math.min(columnCount - 1, column)),
  };
}

export function rangeOf(a: Place, b: Place): Range {
  return {
    top: Math.min(a.row, b.row),
    bottom: Math.max(a.row, b.row),
    left: Math.max(0, Math.min(a.column, b.column)),
    right: Math.max(a.column, b.column),
  };
}

/** @returns the selected cells as spreadsheets paste them: tabs between columns, one line for each loaded row; and their number */
export function rangeText(
  { top, bottom, left, right }: Range,
  columns: readonly ShownColumn[],
  pages: RowPages,
): { text: string; rows: number } {
  const lines: string[] = [];
  for (let index = top; index <= bottom; index += 1) {
    const row = pages.rowAt(index);
    if (!row) continue;
    const cells = columns.slice(left, right + 1).map(({ key }) => {
      const value = row.values[key];
      const text = typeof value === 'number' ? String(value) : valueText(value);
      return /[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    });
    lines.push(cells.join('\t'));
  }
  return { text: lines.join('\n'), rows: lines.length };
}
