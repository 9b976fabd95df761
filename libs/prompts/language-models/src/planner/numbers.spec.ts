import { describe, expect, it } from '@jest/globals';
import { contentWords, isEnglish } from './language.js';
import { numbersIn, valuesIn } from './numbers.js';
import { holdsWords, spansOf } from './words.js';

describe('numbers in a prompt', () => {
  it.each([
    ['50 bis 200 Mitarbeiter', [[50], [200]]],
    ['1.000 Mitarbeiter', [[1000, 1]]],
    ["1'500 employés", [[1500]]],
    ['12,5 millones', [[12_500_000, 12.5]]],
    ['$10m', [[10_000_000, 10]]],
    ['5 Mio. Euro', [[5_000_000, 5]]],
    ['20k staff', [[20_000, 20]]],
    ['3 companies', [[3]]],
    ['東京の30社', [[30]]],
    ['none', []],
  ])('%j has the values %j', (text, values) => {
    expect(numbersIn(text).map((each) => each.values)).toEqual(values);
  });

  it('can be words, in English', () => {
    expect(valuesIn('two hundred')).toEqual(expect.arrayContaining([2, 100, 200]));
    expect(valuesIn('a dozen banks')).toContain(12);
    expect(valuesIn('often')).toEqual([]);
  });
});

describe('words of a prompt', () => {
  it('are located as whole words before parts of words', () => {
    expect(spansOf('20 banks, 200 staff', '20')).toEqual([{ start: 0, end: 2 }]);
    expect(spansOf('insurtechs', 'insurtech')).toEqual([{ start: 0, end: 9 }]);
    expect(spansOf('Softwarefirmen', 'firmen')).toEqual([{ start: 8, end: 14 }]);
    expect([spansOf('banks', 'Banks'), spansOf('banks', ' ')]).toEqual([[], []]);
    expect(holdsWords('The ACME Corp.', 'Acme corp')).toBe(true);
    expect(holdsWords('Acmes', 'Acme')).toBe(false);
  });

  it.each([
    ['20 fintech companies in Berlin', true],
    ['CTOs Siemens Munich', true],
    ['CTOs in Los Angeles or La Paz, 2 per firm', true],
    ['die casting companies in Berlin', true],
    ['Softwarefirmen in München mit 50 bis 200 Mitarbeitern', false],
    ['entreprises de biotechnologie à Lyon', false],
    ['empresas de logística en España', false],
    ['bedrijven in Amsterdam met minder dan 50 medewerkers', false],
    ['東京のゲーム会社', false],
    ['компании в Берлине', false],
  ])('%j is English: %j', (prompt, expected) => {
    expect(isEnglish(prompt)).toBe(expected);
  });

  it('are content words in other languages unless they are small words', () => {
    const prompt = 'Suche Banken in Wien mit Humor';
    expect(contentWords(prompt).map(({ start, end }) => prompt.slice(start, end))).toEqual([
      'Banken',
      'Wien',
      'Humor',
    ]);
  });
});
