import { describe, expect, it } from '@jest/globals';
import type { Column, Row } from '../api/resources';
import { cellOf, usualOrder } from './usual-order';

const COLUMNS = ['full_name', 'title', 'city', 'email', 'phone'].map(
  (key) => ({ key, name: key, kind: 'text', qualification: {} }) as Column,
);
const rowWith = (cells: Record<string, unknown>) => ({ cells: cells as Row['cells'] });

describe('the default column order', () => {
  it('puts columns filled by a service after the first two', () => {
    const row = rowWith({
      email: { status: 'filled', source: { service: 'getEmail' } },
      phone: { status: 'pending', source: null },
    });
    expect(usualOrder(COLUMNS, row)).toEqual(['full_name', 'title', 'email', 'phone', 'city']);
  });

  it('does not change when a pending row turns out to lack its input', () => {
    const orderWith = (email: object) => usualOrder(COLUMNS, rowWith({ email: { source: null, ...email } }));
    const waiting = orderWith({ status: 'pending', error: null });
    expect(waiting).toEqual(['full_name', 'title', 'email', 'city', 'phone']);
    const error = { code: 'missing_input', message: 'The row has nothing in "domain".' };
    expect(orderWith({ status: 'skipped', error })).toEqual(waiting);
  });

  it('takes no part of an object for a cell', () => {
    expect(cellOf(rowWith({}), 'constructor')).toBeUndefined();
  });

  it('is that of the table if services fill no column, or all', () => {
    const order = COLUMNS.map(({ key }) => key);
    expect(usualOrder(COLUMNS, rowWith({ city: { status: 'filled', source: null } }))).toEqual(order);
    const all = Object.fromEntries(order.map((key) => [key, { status: 'pending', source: null }]));
    expect(usualOrder(COLUMNS, rowWith(all))).toEqual(order);
  });
});
