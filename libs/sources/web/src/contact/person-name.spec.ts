import { describe, expect, it } from '@jest/globals';
import { PersonName } from './person-name.js';
import { madeAddresses, printedAddresses } from './likely-addresses.js';

const ada = new PersonName('Ada', 'Lovelace');
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

describe('an address printed on a site', () => {
  const printed = (...seen: Array<[localPart: string, near: string]>) =>
    printedAddresses(
      ada,
      seen.map(([localPart, near]) => ({ email: `${localPart}@firm.com`, near })),
    ).map(({ email }) => email.split('@')[0]);

  it.each<[string, Array<[string, string]>, string[]]>([
    ['made of the name beside it', [['alovelace', 'Ada Lovelace']], ['alovelace']],
    ['of the first name alone, beside the name', [['ada', 'Ada Lovelace CTO']], ['ada']],
    ['of a short name, in words about the person', [['addie', 'Ada Lovelace, our CTO']], ['addie']],
    ["an assistant's, in words about the person", [['bob.miller', 'Ada Lovelace, our CTO']], []],
    ['of no name, in words about the person', [['xk17', 'Ada Lovelace, our CTO']], []],
    ['of both names, beside nobody', [['ada.lovelace', '']], ['ada.lovelace']],
    ['of the first name alone, beside nobody', [['ada', 'Write to us']], []],
    ['of a short name, in words about others', [['addie', 'Our team, led by Ada Lovelace']], []],
    ["of somebody else's name", [['alovelace', 'Anna Lovelace']], []],
    ['beside two who fit', [['alovelace', 'Ada Lovelace, Anna Lovelace']], []],
    [
      "somebody else's in one place, and unnamed in another",
      [
        ['alovelace', ''],
        ['alovelace', 'Anna Lovelace'],
      ],
      [],
    ],
    ['of two initials, beside it', [['aj.lovelace', 'Ada Lovelace Engineer']], ['aj.lovelace']],
    ['of another first name that begins so, beside it', [['anne.lovelace', 'Ada Lovelace Engineer']], []],
    [
      'one of several, the surest first',
      [
        ['a.lovelace', ''],
        ['ada.lovelace', 'Ada Lovelace'],
      ],
      ['ada.lovelace', 'a.lovelace'],
    ],
  ])('is assigned to the person or not: %s', (_what, seen, theirs) => {
    expect(printed(...seen)).toEqual(theirs);
  });

  it('is never generated again, and at most four addresses are generated', () => {
    const made = (pattern: string | null, person = ada) =>
      madeAddresses(person, pattern, {
        domain: 'firm.com',
        printed: new Set(['alovelace@firm.com']),
        others: new Map([['lovelace', new Set(['dr', 'ada', 'bea'])]]),
      });
    expect(made('{f}{last}')).toEqual([]);
    // It could be Bea's as well; and "Dr" is not a first name.
    expect(made('{last}')).toEqual([]);
    expect(made('{f}.{last}', new PersonName('Ben', 'Lovelace'))).toEqual([]);
    expect(made('{f}.{last}', new PersonName('Dora', 'Lovelace'))).toHaveLength(1);
    expect(made('{last}', new PersonName('Ada', 'King'))).toEqual([
      { email: 'king@firm.com', from: 'pattern', isTelling: false },
    ]);
    expect(made(null).map(({ email, from }) => `${from} ${email}`)).toEqual([
      'guess ada.lovelace@firm.com',
      'guess adalovelace@firm.com',
      'guess a.lovelace@firm.com',
    ]);
    expect(made('{first}.{last}', new PersonName('Änne-Löre', 'van Öst-Müß'))).toHaveLength(4);
  });
});
