import { describe, expect, it } from '@jest/globals';
import { columnOf } from './list.js';

describe('the column of an input', () => {
  it('is found by what CRMs and people call it', () => {
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

  it('is the one whose whole header says it, before one of which a part does', () => {
    expect(columnOf('domain', ['Company (website)', 'Company Domain Name'])).toBe(1);
  });
});
