import { describe, expect, it } from '@jest/globals';
import { findDialect } from './csv-dialect.js';

describe('the delimiter of a CSV file', () => {
  it.each([
    [',', 'company,staff\nAcme,12\n"Beta, Inc",7\n'],
    [';', 'company;revenue\nAcme;1,5\nBeta;2,25\n'],
    [';', 'company;address\nAcme;"Main St 1, Oslo"\nBeta;Side St 2, 3rd floor, Bergen\n'],
    ['\t', 'company\tnote\nAcme\ta, b; c\nBeta\t5" pipe\n'],
    ['|', 'company|staff|city\r\nAcme|1|Oslo\r\nBeta|2|Rome\r\n'],
    ['\u001f', 'company\nAcme\nBeta\n'],
    ['\u001f', 'company\nAcme\nBeta, Inc\nGamma\n'],
    ['\u001f', 'note\n"a;b\nc;d"\n"e;f\ng;h"\n'],
    [',', 'company,city\nAcme\nBeta\nGamma\n'],
    [',', '"Acme","a;b;c;d"\n"Beta","e;f;g;h"\n'],
    [',', 'Acme,"a;b;c;d"\nBeta,"e;f;g;h"\n'],
  ])('is %j, as it divides the rows evenly', (delimiter, text) => {
    expect(findDialect(text, true).delimiter).toBe(delimiter);
  });

  it('is found in a sample that ends within a quoted cell', () => {
    expect(findDialect('a;b\n1;2\n3;"the rest', false)).toEqual({
      delimiter: ';',
      firstLine: 1,
      hasHeader: true,
    });
  });
});

describe('the header of a CSV file', () => {
  it.each([
    [true, 'company,city\nAcme,Oslo\n'],
    [true, 'website\nacme.com\nbeta.io\n'],
    [true, 'company,website\n'],
    [true, ',\ncompany,website\nAcme,acme.com\n'],
    [false, 'Acme,acme.com\nBeta,beta.io\n'],
    [false, 'Acme,12,ada@acme.com\nBeta,7,bo@beta.io\n'],
    [false, '1\n2\n3\n'],
  ])('is recognised: %j', (hasHeader, text) => {
    expect(findDialect(text, true).hasHeader).toBe(hasHeader);
  });
});
