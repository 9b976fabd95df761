import { describe, expect, it } from '@jest/globals';
import type { Table } from '../api/resources';
import { columnTitle, exportedColumns, firstField, freeKey, shownColumns } from './columns';

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
    const titleOf = (service: string) => columnTitle(table, service, 'found', ['found']);
    expect([titleOf('Find a phone'), titleOf('Find a city'), freeKey(table, 'city')]).toEqual([
      'Phone',
      'City 2',
      'city_2',
    ]);
    expect(freeKey(table, 'City')).toBe('City_2');
  });

  it('is named after what it shows, which a service with many answers does not say', () => {
    const [email, staff] = [
      ['email', 'status'],
      ['city', 'headcount'],
    ];
    expect(firstField(table, 'Find a work e-mail', email)).toBe('email');
    expect(columnTitle(table, 'Find a work e-mail', 'email', email)).toBe('Work e-mail');
    expect(firstField(table, 'Enrich a company', staff)).toBe('headcount');
    expect(columnTitle(table, 'Enrich a company', 'headcount', staff)).toBe('Headcount');
    expect(columnTitle(table, 'Research a question on the web', 'answer', ['answer'])).toBe('Answer');
  });
});
