import { describe, expect, it } from '@jest/globals';
import { nextSort, readFilter, readSort, writeFilter } from './view-text';

describe('what an address says of a table', () => {
  it('reads a filter back as it was written, whatever its key and value', () => {
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

  it('takes text that is no filter for none', () => {
    expect(readFilter('city')).toBeNull();
    expect(readFilter('city:near:Berlin')).toBeNull();
  });

  it('sorts up, down and not at all with each press on a head', () => {
    const first = nextSort(undefined, 'name');
    const second = nextSort(first, 'name');
    expect([first, second, nextSort(second, 'name')]).toEqual(['name', '-name', undefined]);
    expect(readSort('name,-founded')).toEqual({ name: 'asc', founded: 'desc' });
  });
});
