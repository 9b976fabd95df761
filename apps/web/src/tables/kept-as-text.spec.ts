import { describe, expect, it } from '@jest/globals';
import { writtenAs } from './kept-as-text';

describe('a column imported as text', () => {
  it.each([
    ['1.234,56 €', '98.765.432,10 €', '-12,00 €'],
    ['1.200', '85', '7', null, ''],
    ['12,5 %', '100 %'],
    ['$1,234.56', '$7'],
    ["1'234.50"],
    ['1 234,5 EUR'],
    ['1 200 EUR', '85 EUR'],
    ['USD 1200', 'CHF 85'],
  ])('has local numbers in %s', (...values) => expect(writtenAs(values)).toBe('numbers'));

  it.each([['31.12.2019', '1.2.98'], ['12/31/2019']])('has local dates in %s', (...values) =>
    expect(writtenAs(values)).toBe('dates'),
  );

  it.each([
    ['01234', '10115'],
    ['030 123 456'],
    ['10115 BER', 'AIR 320'],
    ['1.2.3', '10.0.0.1'],
    ['Acme', '1.200'],
    ['2019-12-31'],
    [null, ''],
  ])('has other text in %s', (...values) => expect(writtenAs(values)).toBeNull());
});
