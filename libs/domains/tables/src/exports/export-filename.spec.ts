import { describe, expect, it } from '@jest/globals';
import { exportFilename } from './export-filename.js';

describe('the file name of an export', () => {
  it.each([
    ['Leads', 'Leads.csv'],
    ['Mu\u0308ller & Söhne', 'Müller-Söhne.csv'],
    ['Компании 2026', 'Компании-2026.csv'],
    ['日本の会社', '日本の会社.csv'],
    ['../../etc', 'etc.csv'],
    ['"a\\b\r\n🚀"', 'a-b.csv'],
    ['…', 'export.csv'],
    ['𝒜'.repeat(100), `${'𝒜'.repeat(80)}.csv`],
  ])('of the table %p is %p', (name, filename) => {
    expect(exportFilename(name, 'csv')).toBe(filename);
  });
});
