import { describe, expect, it } from '@jest/globals';
import { PersonName } from './person-name.js';

const spellingsOf = (first: string, last: string) =>
  new PersonName(first, last).spellings().map((pair) => pair.join(' '));

describe('the name of a person', () => {
  it.each<[string, string, string[]]>([
    ['Ada', 'Lovelace', ['ada lovelace']],
    ['Jürgen', 'Müller', ['juergen mueller', 'jurgen muller']],
    ['Søren', 'Ærø', ['soeren aeroe', 'soren aero']],
    ['José', "O'Brien", ['jose obrien', 'jose brien']],
    ['Dr. Anna Maria', 'Schmidt', ['anna schmidt', 'annamaria schmidt']],
    ['Jean-Luc', 'Picard', ['jean-luc picard', 'jeanluc picard']],
    ['Eva', 'van der Berg', ['eva vanderberg', 'eva berg']],
    ['伟', '王', []],
  ])('%s %s is spelled %j in addresses', (first, last, spellings) => {
    expect(spellingsOf(first, last)).toEqual(spellings);
  });

  it.each<[string, string, string, boolean, boolean]>([
    ['Ada', 'Lovelace', 'Ada Lovelace, CTO', true, true],
    ['Ada', 'Lovelace', 'Prof. Dr. ADA M. LOVELACE', true, true],
    ['Ada', 'Lovelace', 'Lovelace, Ada', true, true],
    ['Ada', 'Lovelace', 'Contact: Ada Lovelace', true, true],
    ['Ada', 'Lovelace', 'Our founder is Ada Lovelace', true, false],
    ['Ada', 'Lovelace', 'Ada Lovelace & Grace Hopper', true, false],
    ['Ada', 'Lovelace', 'Ada Lovelace und Grace Hopper', true, false],
    ['Ada', 'Lovelace', 'Ada Smith, Anna Lovelace', false, false],
    ['Ada', 'Lovelace', 'Ada (Smith) Lovelace', false, false],
    ['Ada', 'Lovelace', '', false, false],
    ['Jürgen', 'Müller', 'Juergen Mueller', true, true],
    ['Jurgen', 'Muller', 'Jürgen Müller', true, true],
    ['Anna Maria', 'van der Berg', 'Anna Maria van der Berg', true, true],
    ['Jean-Luc', 'Picard', 'Jean-Luc Picard', true, true],
    ['伟', '王', '王 伟, sales', true, true],
  ])('%s %s in "%s": present %s, subject %s', (first, last, text, isThere, isSubject) => {
    const person = new PersonName(first, last);
    expect([person.isIn(text), person.isSubjectOf(text)]).toEqual([isThere, isSubject]);
  });
});
