import type { Column, Row } from '../api/resources';

/** Columns that stay in front of what was paid for: who or what a row is about. */
const FRONT_COLUMNS = 2;

/** @returns the keys of columns, those that a service fills in a row right behind the first two */
export function usualOrder(columns: readonly Column[], { cells }: Pick<Row, 'cells'>): string[] {
  const keys = columns.map(({ key }) => key);
  const isPaid = (key: string) => Boolean(cells[key]?.source?.service) || cells[key]?.status === 'pending';
  const [front, rest] = [keys.slice(0, FRONT_COLUMNS), keys.slice(FRONT_COLUMNS)];
  return [...front, ...rest.filter(isPaid), ...rest.filter((key) => !isPaid(key))];
}
