import { describe, expect, it } from '@jest/globals';
import type { Column } from '../api/resources';
import { filterText, nextSort, operatorsOf, readFilter, readSort, readValue, writeFilter } from './view-text';

const COLUMNS = (
  [
    ['name', 'Name', 'text'],
    ['staff', 'Staff', 'number'],
    ['seen', 'Seen', 'date'],
  ] as const
).map(([key, name, kind]) => ({ key, name, kind })) as unknown as Column[];

describe('a table view in the URL', () => {
  it('restores a filter as it was written, whatever its key and value', () => {
    for (const filter of [
      { key: 'city', op: 'contains', value: 'São: Paulo' },
      { key: 'a:b', op: 'eq', value: '' },
      { key: 'founded', op: 'gte', value: '2015' },
    ] as const)
      expect(readFilter(writeFilter(filter))).toEqual(filter);
    expect(readFilter(writeFilter({ key: 'email', op: 'empty', value: 'left over' }))).toEqual({
      key: 'email',
      op: 'empty',
      value: '',
    });
  });

  it('ignores text that is not a filter', () => {
    expect(readFilter('city')).toBeNull();
    expect(readFilter('city:near:Berlin')).toBeNull();
  });

  it('sorts ascending, descending and not at all with each click on a header', () => {
    const first = nextSort(undefined, 'name');
    const second = nextSort(first, 'name');
    expect([first, second, nextSort(second, 'name')]).toEqual(['name', '-name', undefined]);
    expect([...readSort('name,-2024')]).toEqual([
      ['name', 'asc'],
      ['2024', 'desc'],
    ]);
  });

  it.each(['Name, first', '-margin', '100%', '%2C', 'constructor', '2024'])(
    'sorts by a column whatever its key is: %s',
    (key) => {
      const first = nextSort(undefined, key);
      const second = nextSort(first, key);
      expect([first, second].map((text) => [...readSort(text)])).toEqual([[[key, 'asc']], [[key, 'desc']]]);
      expect(nextSort(second, key)).toBeUndefined();
    },
  );
});

describe('a filter by the kind of its column', () => {
  it('offers "more" and "less" only for ordered kinds', () => {
    expect((['text', 'email', 'boolean'] as const).some((kind) => operatorsOf(kind).includes('gt'))).toBe(
      false,
    );
    expect((['number', 'date'] as const).every((kind) => operatorsOf(kind).includes('gt'))).toBe(true);
  });

  it('has a value of that kind, or reports the problem', () => {
    const valueOf = (key: string, value: string) => readValue({ key, op: 'gt', value }, COLUMNS);
    expect(valueOf('staff', '48,794')).toEqual({ value: 48_794 });
    expect(valueOf('staff', '0.5')).toEqual({ value: 0.5 });
    expect(valueOf('staff', 'many')).toEqual({ problem: '“many” is not a number, and Staff holds numbers.' });
    expect(valueOf('seen', '2026-01-31')).toEqual({ value: '2026-01-31' });
    expect(valueOf('seen', '31/01/2026')).toHaveProperty('problem');
    expect(valueOf('name', 'B')).toEqual({ value: 'B' });
  });

  it('is shown in plain words', () => {
    expect(filterText({ key: 'staff', op: 'gt', value: '9000' }, COLUMNS)).toBe('Staff is more than 9,000');
    expect(filterText({ key: 'seen', op: 'lt', value: '2026-01-31' }, COLUMNS)).toBe(
      'Seen is before Jan 31, 2026',
    );
    expect(filterText({ key: 'gone', op: 'empty', value: '' }, COLUMNS)).toBe('gone is empty');
  });
});
