import { describe, expect, it } from '@jest/globals';
import { tokenise } from './tokenise.js';

const kinds = (text: string): string[] => tokenise(text).map(({ kind, folded }) => `${kind}:${folded}`);

describe('the tokens of a prompt', () => {
  it('split hyphenated words but keep a range', () => {
    expect(kinds('mid-size 50-200')).toEqual(['word:mid', 'word:size', 'number:50', 'mark:-', 'number:200']);
  });
  it('keep the hyphens of a domain, and are no domain for sentences without a space between', () => {
    const texts = (prompt: string): string[] => tokenise(prompt).map(({ text }) => text);
    expect(texts('at acme-group.com, shop.acme-group.co.uk and 1-800-flowers.com.')).toEqual(
      'at|acme-group.com|,|shop.acme-group.co.uk|and|1-800-flowers.com|.'.split('|'),
    );
    expect(texts('mid-size. 50-200.Also')).toEqual('mid|size|.|50|-|200|.|Also'.split('|'));
  });
  it('include separators, multipliers and money', () => {
    expect(tokenise('1,000 10k $5M').map(({ value, isMoney }) => [value, isMoney])).toEqual([
      [1000, false],
      [10_000, false],
      [5_000_000, true],
    ]);
  });
  it('keep decades, models and dates whole', () => {
    expect(kinds('1990s B2B 3PL 2010-05-01')).toEqual([
      'word:1990s',
      'word:b2b',
      'word:3pl',
      'date:2010-05-01',
    ]);
  });
  it('include straight and curly quotes, and leave apostrophes in words', () => {
    expect(tokenise('“Acme Co” don’t \'X\' "Y"').map(({ kind, text }) => `${kind}:${text}`)).toEqual([
      'quoted:Acme Co',
      'word:don’t',
      'quoted:X',
      'quoted:Y',
    ]);
  });
  it('include bullets along with their line break', () => {
    expect(kinds('- a\n* b\n2. c')).toEqual([
      'break:\n',
      'word:a',
      'break:\n',
      'word:b',
      'break:\n',
      'word:c',
    ]);
  });
});
