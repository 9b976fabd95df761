import { describe, expect, it } from '@jest/globals';
import { csvLine, formatOf } from './output.js';

describe('the file that a command writes', () => {
  it('has a form by its ending, or by an option', () => {
    expect(['a.csv', 'a.JSON', 'a.jsonl'].map((output) => formatOf({ output }))).toEqual([
      'csv',
      'json',
      'jsonl',
    ]);
    expect(formatOf({ output: 'a.txt', csv: true })).toBe('csv');
  });

  it('is refused with an ending that has none, and in a folder that is not there', () => {
    expect(() => formatOf({ output: 'a.xlsx' })).toThrow(
      '--output ends with .csv, .json or .jsonl, not .xlsx',
    );
    expect(() => formatOf({ output: '/no/such/folder/a.csv' })).toThrow('/no/such/folder');
  });
});

describe('what a command prints', () => {
  it('as CSV is no formula, and keeps numbers and quotes', () => {
    expect(csvLine(['=1+1', '+49 30 1', '-5', '-1.5', '@a', 'a,"b"\n', ''])).toBe(
      `'=1+1,'+49 30 1,-5,-1.5,'@a,"a,""b""\n",\r\n`,
    );
  });
});
