import { describe, expect, it } from '@jest/globals';
import type { Table } from '../api/resources';
import { exportedColumns, freeKey, freeTitle, shownColumns } from './columns';

const table = {
  columns: ['full_name', 'title', 'city', 'email'].map((key) => ({ key, name: key, kind: 'text' })),
} as Table;

describe('the columns of an export', () => {
  it('are in the order of the grid, with hidden ones last and not selected', () => {
    const layout = {
      order: ['full_name', 'email', 'title', 'city'],
      hidden: ['title'],
      frozen: ['city'],
      widths: {},
    };
    const exported = exportedColumns(table, layout).map(({ column, isShown }) => [column.key, isShown]);
    expect(exported).toEqual([
      ['city', true],
      ['full_name', true],
      ['email', true],
      ['title', false],
    ]);
  });
});

describe('the columns of a grid', () => {
  it('have widths and places, whatever their keys are', () => {
    const odd = { columns: ['constructor', 'toString'].map((key) => ({ key, name: key, kind: 'text' })) };
    const layout = { order: [], hidden: [], frozen: [], widths: { toString: 300 } };
    const [first, second] = shownColumns(odd as unknown as Table, layout);
    expect([first!.width, second!.width, second!.left - first!.left]).toEqual([200, 300, 200]);
  });
});

describe('an added column', () => {
  it('gets an unused name', () => {
    expect([freeTitle(table, 'Phone'), freeTitle(table, 'City'), freeKey(table, 'city')]).toEqual([
      'Phone',
      'City 2',
      'city_2',
    ]);
  });
});
