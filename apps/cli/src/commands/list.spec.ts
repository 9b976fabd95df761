import { describe, expect, it } from '@jest/globals';
import { columnOf, countRows } from './list.js';

describe('the column for an input', () => {
  it('is found by the names that CRMs and people use', () => {
    const header = [
      'Vor- und Nachname',
      'First Name (Vorname)',
      'Nachname',
      'Firma / Unternehmen',
      'Website URL',
    ];
    const places = ['first_name', 'last_name', 'company', 'domain', 'linkedin_url'].map((input) =>
      columnOf(input, header),
    );
    expect(places).toEqual([1, 2, 3, 4, undefined]);
  });

  it('is one with a fully matching header rather than a partly matching one', () => {
    expect(columnOf('domain', ['Company (website)', 'Company Domain Name'])).toBe(1);
  });
});

describe('a row of a list', () => {
  const fileOf = (...rows: string[][]) => ({
    header: ['Company', 'Domain'],
    records: async function* () {
      yield* rows;
    },
  });

  it('with a cell beyond the header is refused before anything is charged', async () => {
    const file = fileOf(['Acme', 'acme.example'], ['Beta', ' Inc', 'beta.example']);
    await expect(countRows(file, Infinity)).rejects.toThrow(
      'Row 2 below the header has 3 cells, but the header has 2',
    );
    expect(await countRows(file, 1)).toBe(1);
  });

  it('may have missing or empty cells at its end', async () => {
    expect(await countRows(fileOf(['Acme'], ['Beta', 'beta.example', '', ' ']), Infinity)).toBe(2);
  });
});
