import { describe, expect, it } from '@jest/globals';
import { readSearch, writeSearch } from './search-text';

describe('parameters of an address', () => {
  it('come back as they were set, lists and special characters among them', () => {
    const values = { sort: '-name', filter: ['a:eq:1&2', 'b:contains:ü ?'], q: '50%' };
    expect(readSearch(writeSearch(values))).toEqual(values);
  });

  it('leave out what is not set', () => {
    expect(writeSearch({ sort: undefined, q: '' })).toBe('');
  });
});
