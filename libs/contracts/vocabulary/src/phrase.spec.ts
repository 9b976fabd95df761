import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TECHNOLOGIES } from './company-trait.catalogue.js';
import { INDUSTRIES } from './industry.catalogue.js';
import { foldText, foldWord, foldWords, pluralOf, singularOf } from './phrase.js';
import { PhraseIndex } from './phrase-index.js';
import { DEPARTMENTS } from './role.catalogue.js';
import { TITLES } from './role-title.catalogue.js';

const names = [...INDUSTRIES, ...DEPARTMENTS, ...TECHNOLOGIES].flatMap(({ name, synonyms }) => [
  name,
  ...synonyms,
]);
/** All words of the catalogues; a word that ends in "s" may already be a plural. */
const WORDS = [...new Set([...names, ...TITLES.flatMap(({ phrases }) => phrases)].flatMap(foldWords))];

describe('a folded word', () => {
  it.each([
    ['U.S.', 'us'],
    ["Zürich's", 'zurich'],
    ['München', 'munchen'],
    ['Łódź', 'lodz'],
    ['København', 'kobenhavn'],
    ['Straße', 'strasse'],
    ['Diyarbakır', 'diyarbakir'],
    ['İstanbul', 'istanbul'],
    ['Ærø', 'aero'],
    ['CTO’s', 'cto'],
    ['O’Brien', 'obrien'],
    ['AT&T', 'at&t'],
    ['株式会社', '株式会社'],
  ])('%s is %s', (word, folded) => {
    expect(foldWord(word)).toBe(folded);
    expect(foldText(word)).toBe(folded);
  });

  it('does not change when folded again, and ignores case and the Unicode form of accents', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    fc.assert(
      fc.property(text, (phrase) => {
        const folded = foldWords(phrase);
        for (const word of folded) expect(word).not.toMatch(/\s|\p{M}|^$/u);
        expect(foldText(phrase.normalize('NFC'))).toBe(foldText(phrase.normalize('NFD')));
      }),
      { numRuns: 500 },
    );
    for (const word of WORDS) {
      expect(foldWord(word)).toBe(word);
      expect(foldText(word.toUpperCase())).toBe(word);
    }
  });

  it('is compared with others whatever separates the words', () => {
    for (const text of ['Head of Sales', 'head-of-sales', '  HEAD, of / (Sales)!', 'Head\u00a0of\nSales'])
      expect(foldWords(text)).toEqual(['head', 'of', 'sales']);
    for (const text of ['', ' ', '—', '!?', '😀']) expect(foldWords(text)).toEqual([]);
  });
});

describe('singular and plural', () => {
  it.each([
    ['company', 'companies'],
    ['database', 'databases'],
    ['enterprise', 'enterprises'],
    ['gpu', 'gpus'],
    ['sku', 'skus'],
    ['menu', 'menus'],
    ['warehouse', 'warehouses'],
    ['license', 'licenses'],
    ['expense', 'expenses'],
    ['nurse', 'nurses'],
    ['exercise', 'exercises'],
    ['purchase', 'purchases'],
    ['size', 'sizes'],
    ['prize', 'prizes'],
    ['box', 'boxes'],
    ['tax', 'taxes'],
    ['bus', 'buses'],
    ['campus', 'campuses'],
    ['status', 'statuses'],
    ['business', 'businesses'],
    ['class', 'classes'],
    ['branch', 'branches'],
    ['search', 'searches'],
    ['brush', 'brushes'],
    ['quartz', 'quartzes'],
    ['day', 'days'],
    ['industrial', 'industrials'],
    ['use', 'uses'],
  ])('are compared as one word: %s, %s', (one, many) => {
    expect(pluralOf(one)).toBe(many);
    expect([singularOf(many), singularOf(one)]).toEqual([one, one]);
  });

  it('are compared as one word for each word of the catalogues', () => {
    const singulars = WORDS.filter((word) => !/[^su]s$/.test(word) && /^[a-z]{3,}$/.test(word));
    expect(singulars.length).toBeGreaterThan(400);
    expect(singulars.filter((word) => singularOf(pluralOf(word)) !== singularOf(word))).toEqual([]);
  });
});

describe('a phrase index', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'box', 'city');
  const phrases = fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 });

  it('finds the longest phrase, and of equal ones the first that was added', () => {
    fc.assert(
      fc.property(phrases, fc.array(word, { maxLength: 8 }), fc.nat(8), (added, words, at) => {
        const index = new PhraseIndex<number>();
        for (const [meaning, phrase] of added.entries()) index.add([phrase.join(' ')], meaning);
        const forms = added.map((phrase) => [
          phrase.join(' '),
          [...phrase.slice(0, -1), pluralOf(phrase.at(-1)!)].join(' '),
        ]);
        const found = Array.from({ length: words.length }, (_, i) => words.length - i)
          .map((length) => ({ length, text: words.slice(at, at + length) }))
          .filter(({ length, text }) => text.length === length)
          .map(({ length, text }) => ({
            length,
            meaning: forms.findIndex((each) => each.includes(text.join(' '))),
          }))
          .find(({ meaning }) => meaning >= 0);
        expect(index.longestAt(words, at)).toEqual(found ?? null);
      }),
      { numRuns: 500 },
    );
  });

  it("finds the plural of a phrase's last word, and a whole text in any case", () => {
    const index = new PhraseIndex<string>().add(['Law Firm', 'CRM', ''], 'x');
    for (const text of ['law firm', 'LAW-FIRMS', 'crms', 'Crm']) expect(index.get(text)).toBe('x');
    for (const text of ['laws firm', 'law', 'firm', '', 'law firm of'] as const)
      expect(index.get(text)).toBeNull();
  });
});
