import { describe, expect, it } from '@jest/globals';
import { enrichmentColumns } from './enrichment-columns.js';

const DOMAIN = { key: 'domain', name: 'Domain', kind: 'url', qualification: {} } as const;

/** Returns the result fields of enrichCompany that fill these columns. */
const fieldsOf = (...columns: Array<{ key: string; field?: string }>) =>
  enrichmentColumns({ service: 'enrichCompany', columns }, 'tbl_1', [DOMAIN]).map(
    ({ source }) => source.from === 'service' && source.field,
  );

describe('an enrichment column', () => {
  it('is filled with the field it names, else with the field of its own name, else with the default one', () => {
    expect(fieldsOf({ key: 'industry', field: 'city' }, { key: 'headcount' }, { key: 'company' })).toEqual([
      'city',
      'headcount',
      'name',
    ]);
  });

  it('is refused with a message that names every error', () => {
    expect(() => fieldsOf({ key: 'a', field: 'x' }, { key: 'city' }, { key: 'city' }, { key: '..' })).toThrow(
      'columns[0].field is not a field of the answer; columns[2].key is used twice; columns[3].key must not be "..".',
    );
  });
});
