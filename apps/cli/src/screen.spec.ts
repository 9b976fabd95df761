import { describe, expect, it } from '@jest/globals';
import { formatCount, describeValue, layOut, textOf, toPrintable, withoutControls } from './screen.js';

describe('terminal output of a command', () => {
  it('contains no terminal control sequences', () => {
    const hostile = 'Acme\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31m\r\nInc\u0000';
    expect(toPrintable(hostile)).toBe('Acme]52;c;ZXZpbA==[2J31m Inc');
    expect(withoutControls(hostile)).toBe('Acme]52;c;ZXZpbA==[2J31m\r\nInc');
  });

  it('uses the singular for one', () => {
    expect([0, 0.5, 1, 2].map((count) => formatCount(count, 'credit'))).toEqual([
      '0 credits',
      '0.5 credits',
      '1 credit',
      '2 credits',
    ]);
  });

  it('shows a value as one field', () => {
    expect([null, true, 1.5, ['a', 'b'], { a: 1 }, [{ a: 1 }]].map(textOf)).toEqual([
      '',
      'true',
      '1.5',
      'a, b',
      '{"a":1}',
      '[{"a":1}]',
    ]);
  });
});

describe('a table on a screen', () => {
  const PEOPLE = ['full_name', 'title', 'company', 'city', 'country', 'linkedin_url', 'email'];
  const WIDTHS = [15, 21, 18, 8, 13, 40, 38];

  it('shows readable columns, the first ones and the looked-up one, rather than all', () => {
    expect(layOut(PEOPLE, WIDTHS, 80)).toEqual({
      keys: ['full_name', 'title', 'company', 'city', 'email'],
      widths: [12, 13, 13, 8, 26],
    });
    expect(layOut(PEOPLE, WIDTHS, 50).keys).toEqual(['full_name', 'title', 'email']);
  });

  it('shows all columns in full width if they fit', () => {
    expect(layOut(PEOPLE, WIDTHS, 165)).toEqual({ keys: PEOPLE, widths: WIDTHS });
  });

  it('never truncates the id of a row', () => {
    expect(layOut(['id', 'url', 'status'], [30, 40, 6], 60).widths).toEqual([30, 20, 6]);
  });
});

describe('a value of a document on a screen', () => {
  it.each<[unknown, string]>([
    ['plain', 'name: plain\n'],
    [0, 'name: 0\n'],
    [['a', 'b'], 'name: a, b\n'],
    ['# Title\n\u001b[2Jtext', 'name:\n  # Title\n  [2Jtext\n'],
    [
      { cron: '0 9 * * 1', next: null, links: { self: '/a' } },
      'name:\n  cron: 0 9 * * 1\n  links: (self: /a)\n',
    ],
    [
      [
        { key: 'a', in: {} },
        { key: 'b', of: [{ c: 1 }] },
      ],
      'name:\n  - key: a\n  - key: b, of: (c: 1)\n',
    ],
    [
      [{ to: 'a@b.example', text: 'Hello\nthere\n', links: { self: '/a' } }],
      'name:\n  - to: a@b.example\n    text:\n      Hello\n      there\n    links: (self: /a)\n',
    ],
    [
      [{ a: 'x'.repeat(60), b: 'y'.repeat(60) }],
      `name:\n  - a: ${'x'.repeat(60)}\n    b: ${'y'.repeat(60)}\n`,
    ],
  ])('%j is printed in readable lines', (value, text) => {
    expect(describeValue('name', value)).toBe(text);
  });

  it.each([null, undefined, '', [], {}, { a: { b: null } }])('%j is omitted', (value) => {
    expect(describeValue('name', value)).toBe('');
  });
});
