import { describe, expect, it } from '@jest/globals';
import { readSearch, writeSearch } from './search-text';

describe('URL parameters', () => {
  it('are read as they were set, including lists and special characters', () => {
    const values = { sort: '-name', filter: ['a:eq:1&2', 'b:contains:ü ?'], q: '50%' };
    expect(readSearch(writeSearch(values))).toEqual(values);
  });

  it('omit what is not set', () => {
    expect(writeSearch({ sort: undefined, q: '' })).toBe('');
  });
});
