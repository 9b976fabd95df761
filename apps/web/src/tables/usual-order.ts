import type { Cell, Column, Row } from '../api/resources';

/** Columns that stay in front of paid ones: who or what a row is about. */
const FRONT_COLUMNS = 2;

/** @returns whether a service fills a cell: it has, it will, or it was not asked for a reason that may apply only to this row */
function isOfService(cell: Cell | undefined): boolean {
  if (!cell) return false;
  return (
    Boolean(cell.source?.service) ||
    cell.status === 'pending' ||
    (cell.status === 'skipped' && cell.error !== null)
  );
}

/** @returns the cell of a column; a row has none where nothing is known about the value */
export function cellOf({ cells }: Pick<Row, 'cells'>, key: string): Cell | undefined {
  return Object.hasOwn(cells, key) ? cells[key] : undefined;
}

/** @returns the column keys, with those that a service fills in the given row right after the first two */
export function usualOrder(columns: readonly Column[], row: Pick<Row, 'cells'>): string[] {
  const keys = columns.map(({ key }) => key);
  const isPaid = (key: string) => isOfService(cellOf(row, key));
  const [front, rest] = [keys.slice(0, FRONT_COLUMNS), keys.slice(FRONT_COLUMNS)];
  return [...front, ...rest.filter(isPaid), ...rest.filter((key) => !isPaid(key))];
}
