import { describe, expect, it } from '@jest/globals';
import { KindInference } from './kind-inference.js';

function kindOf(...values: unknown[]): string {
  const inference = new KindInference();
  values.forEach((value) => inference.observe(value));
  return inference.kind;
}

describe('kind inference of a column', () => {
  it.each<[string, unknown[]]>([
    ['number', [1, 2.5, null, -3]],
    ['boolean', [true, null, false]],
    ['email', ['ann@acme.com', '', 'b.c+d@x.co.uk']],
    [
      'linkedin_url',
      ['https://www.linkedin.com/in/ann', 'linkedin.com/company/acme', 'mwlite.linkedin.com/in/ann'],
    ],
    ['url', ['https://acme.com/x', 'http://b.io']],
    ['date', ['2024-02-29', '2024-01-01T10:00:00Z', '2024-01-01T10:00:00.123+02:00']],
    ['phone', ['+47 22 33 44 55', '+14155550100']],
    ['domain', ['acme.com', 'www.Beta.co.uk']],
    ['text', ['Acme', 'acme.com']],
    ['list', [['a', 'b'], [], null]],
    ['experiences', [[{ title: 'CEO', company: 'Acme' }], []]],
    ['educations', [[{ school: 'Oslo', degree: 'BSc' }]]],
    ['object', [{ a: 1 }, {}]],
  ])('finds %s', (kind, values) => {
    expect(kindOf(...values)).toBe(kind);
  });

  it('returns text without any evidence', () => {
    expect(kindOf()).toBe('text');
    expect(kindOf(null, '', null)).toBe('text');
  });

  it('returns list if all known values are empty lists', () => {
    expect(kindOf([], null, [])).toBe('list');
  });

  it('returns text if the values disagree, wherever the odd one is', () => {
    expect(kindOf(1, '2')).toBe('text');
    expect(kindOf('2', 1)).toBe('text');
    expect(kindOf([], 'x')).toBe('text');
    expect(kindOf({}, [])).toBe('text');
    expect(kindOf(...new Array(1000).fill(1), true)).toBe('text');
  });

  it.each([['2023-02-29'], ['2024-13-01'], ['20240101'], ['2024']])(
    'does not recognise %s as a date',
    (value) => {
      expect(kindOf(value)).toBe('text');
    },
  );

  it.each([['0047223344'], ['12345'], ['acme'], ['file.txt!'], ['readme.zzzz']])(
    'does not recognise %s as a phone or a domain',
    (value) => {
      expect(kindOf(value)).toBe('text');
    },
  );

  it('reads a text in one pass, even if it is an address up to its last character', () => {
    const before = process.cpuUsage();
    expect(kindOf(`http://${'a'.repeat(200_000)} b`)).toBe('text');
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});
