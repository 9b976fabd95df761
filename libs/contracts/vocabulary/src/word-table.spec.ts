import { describe, expect, it } from '@jest/globals';
import { INDUSTRIES, INDUSTRY_GROUPS } from './industry.catalogue.js';
import { TITLES } from './role-title.catalogue.js';
import { DEPARTMENTS, SENIORITIES } from './role.catalogue.js';
import { wordList, wordTable } from './word-table.js';

describe('a table that is written as text', () => {
  it('has a row for each line, with empty cells and continued ones', () => {
    const rows = wordTable('\n  a | B | x, y,\n    z\n  b | | \n', (id, name, words) => [
      id,
      name,
      wordList(words),
    ]);
    expect(rows).toEqual([
      ['a', 'B', ['x', 'y', 'z']],
      ['b', '', []],
    ]);
  });

  it('names only seniorities, departments and industries that exist', () => {
    const known = new Set<string>([...SENIORITIES, ...DEPARTMENTS, ...INDUSTRIES].map(({ id }) => id));
    const titles = TITLES.flatMap(({ seniorities, departments }) => [...seniorities, ...departments]);
    const groups = INDUSTRY_GROUPS.flatMap(({ industryIds }) => industryIds);
    expect([...titles, ...groups].filter((id) => !known.has(id))).toEqual([]);
  });
});
