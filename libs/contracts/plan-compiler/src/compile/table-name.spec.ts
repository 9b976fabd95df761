import { describe, expect, it } from '@jest/globals';
import type { IntentFilter } from '@quarry/plan';
import { tableNameOf } from './table-name.js';

const ORIGIN = { fragments: ['so'], from: 'prompt' } as const;
const industries = (...value: string[]) =>
  ({ of: 'company', filter: 'industries', op: 'any_of', value, ...ORIGIN }) as IntentFilter;
const inGermany = {
  of: 'company',
  filter: 'places',
  op: 'in',
  value: [{ kind: 'country', id: 'DE' }],
  ...ORIGIN,
} as IntentFilter;
const named = { of: 'person', filter: 'names', op: 'named', value: ['Ann Smith'], ...ORIGIN } as IntentFilter;

describe('the name of a table', () => {
  it('describes its rows by the words of the filters', () => {
    expect(tableNameOf({ entity: 'company', filters: [inGermany, industries('fintech')] })).toBe(
      'Companies: Fintech, Germany',
    );
    expect(tableNameOf({ entity: 'company', filters: [] })).toBe('Companies');
  });

  it('never contains the name of a person', () => {
    expect(tableNameOf({ entity: 'person', filters: [named, inGermany] })).toBe('People: Germany');
  });

  it('lists two of many values, and has at most 80 characters', () => {
    const many = industries('fintech', 'insurtech', 'software');
    expect(tableNameOf({ entity: 'company', filters: [many] })).toBe('Companies: Fintech or Insurtech …');
    const roles = {
      of: 'person',
      filter: 'roles',
      op: 'any_of',
      ...ORIGIN,
      value: [{ name: 'x'.repeat(200), seniorities: [], departments: [], title_words: ['x'] }],
    } as IntentFilter;
    expect(tableNameOf({ entity: 'person', filters: [roles] })).toHaveLength(80);
  });
});
