import { describe, expect, it } from '@jest/globals';
import type { Column, Row } from '../api/resources';
import { usualOrder } from './usual-order';

const COLUMNS = ['full_name', 'title', 'city', 'email', 'phone'].map(
  (key) => ({ key, name: key, kind: 'text', qualification: {} }) as Column,
);
const rowWith = (cells: Record<string, unknown>) => ({ cells: cells as Row['cells'] });

describe('the columns of a table that nobody has arranged', () => {
  it('have those that a service fills behind the first two', () => {
    const row = rowWith({
      email: { status: 'filled', source: { service: 'getEmail' } },
      phone: { status: 'pending', source: null },
    });
    expect(usualOrder(COLUMNS, row)).toEqual(['full_name', 'title', 'email', 'phone', 'city']);
  });

  it('stay in the order of the table where no service fills any, or all', () => {
    const order = COLUMNS.map(({ key }) => key);
    expect(usualOrder(COLUMNS, rowWith({ city: { status: 'filled', source: null } }))).toEqual(order);
    const all = Object.fromEntries(order.map((key) => [key, { status: 'pending', source: null }]));
    expect(usualOrder(COLUMNS, rowWith(all))).toEqual(order);
  });
});
