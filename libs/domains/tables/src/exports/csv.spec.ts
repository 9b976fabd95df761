import { describe, expect, it } from '@jest/globals';
import { formulaSafe } from './csv.js';

describe('a CSV cell', () => {
  it.each([
    '=1+1',
    '+SUM(A1)',
    '-2+3',
    '@cmd',
    '\t=1',
    '\r=1',
    '\n=1',
    '   =1',
    '\u00a0=1',
    ' \u00a0\t@x',
    '\ufeff=1',
    '\u200b=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
    '\u0001=1',
    '\ttext',
    '\rtext',
    ' \ttext',
    '+47 22 33 44 55',
    '+0123456',
    '+1',
    '-',
    '--1',
    '-1-1',
    '+14155550100=1',
    '-1\n=2',
  ])('that a spreadsheet could execute is neutralised: %j', (text) => {
    expect(formulaSafe(text)).toBe(`'${text}`);
  });

  it.each([
    '',
    'Acme',
    'a=b',
    'x@y.com',
    '-12',
    '-0.5',
    '12',
    '3.14',
    '1e-7',
    '+14155550100',
    "'=1",
    ' text',
    '\ntext',
  ])('that nothing can execute is unchanged: %j', (text) => {
    expect(formulaSafe(text)).toBe(text);
  });
});
