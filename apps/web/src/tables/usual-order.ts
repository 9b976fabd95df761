import type { Cell, Column, Row } from '../api/resources';

/** Columns that stay in front of what was paid for: who or what a row is about. */
const FRONT_COLUMNS = 2;

/** @returns whether a service fills a cell: it has, it is about to, or it was not asked for a reason of this row, which other rows need not have. */
function isOfService(cell: Cell | undefined): boolean {
  if (!cell) return false;
  return (
    Boolean(cell.source?.service) ||
    cell.status === 'pending' ||
    (cell.status === 'skipped' && cell.error !== null)
  );
}

/** @returns the keys of columns, those that a service fills in a row right behind the first two */
export function usualOrder(columns: readonly Column[], { cells }: Pick<Row, 'cells'>): string[] {
  const keys = columns.map(({ key }) => key);
  const isPaid = (key: string) => isOfService(cells[key]);
  const [front, rest] = [keys.slice(0, FRONT_COLUMNS), keys.slice(FRONT_COLUMNS)];
  return [...front, ...rest.filter(isPaid), ...rest.filter((key) => !isPaid(key))];
}
