import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { emailPatternOf, type SeenAddress } from '../company/email-pattern.js';
import type { ProviderCall } from '@quarry/engine';
import { PersonName } from '@quarry/extraction';
import type { ContactSite } from './contact-sites.js';
import { isFreeMail } from './free-mail.catalogue.js';
import { madeAddresses, printedAddresses } from './likely-addresses.js';
import { WebContactProvider } from './web-contact.provider.js';

const ada = new PersonName('Ada', 'Lovelace');
const john = new PersonName('John', 'Smith');
const at = (localPart: string, near: string): SeenAddress => ({ email: `${localPart}@firm.com`, near });

describe('an address with an initial', () => {
  it.each<[localPart: string, near: string, from: string | null, isTelling: boolean | null]>([
    ['jsmith', 'John Smith', 'printed', true],
    ['jsmith', 'john smith, sales', 'printed', true],
    ['jsmith', 'Join John Smith', 'printed', true],
    ['jsmith', 'jane smith', null, null],
    ['jsmith', 'JANE SMITH and John Smith', null, null],
    // A word belongs to one name only, and common words are not initials.
    ['johns', 'John Smith, Sales Manager', 'printed', true],
    ['smithj', 'John Smith joined us', 'printed', true],
    ['js', 'John Smith joined in sales', 'printed', true],
    ['jsmith', 'John Smith, Jane Smith', null, null],
    // Anybody with this initial: no better than a derived address.
    ['jsmith', 'J. Smith', 'pattern', false],
    ['jsmith', '', 'pattern', false],
    ['j.smith', 'Write to us', 'pattern', false],
    ['john.smith', '', 'printed', true],
  ])('%s next to "%s" belongs to the person by "%s", distinctive: %s', (localPart, near, from, isTelling) => {
    const [found] = printedAddresses(john, [at(localPart, near)]);
    expect([found?.from ?? null, found?.isTelling ?? null]).toEqual([from, isTelling]);
  });

  it('is less distinctive than one with both names when it is generated', () => {
    const tellingOf = (pattern: string | null): unknown[] =>
      madeAddresses(john, pattern, { domain: 'firm.com', printed: new Set(), others: new Map() }).map(
        ({ email, isTelling }) => `${email.split('@')[0]} ${isTelling}`,
      );
    expect(tellingOf(null)).toEqual(['john.smith true', 'jsmith false', 'johnsmith true', 'j.smith false']);
    expect(tellingOf('{f}{last}')).toEqual(['jsmith false']);
    expect(tellingOf('{last}.{first}')).toEqual(['smith.john true']);
  });

  it('does not prove a pattern if it consists of common words', () => {
    expect(emailPatternOf([at('newsroom', 'write to our newsroom team')]).pattern).toBeNull();
  });
});

describe('a one-word mailbox next to a name', () => {
  it.each<[string, boolean]>([
    ['studio', false],
    ['jet4', false],
    ['johnny', true],
    ['smithy', true],
    ['js', true],
    ['jfs', true],
    ['jx', false],
  ])('%s belongs to John Smith: %s', (localPart, isTheirs) => {
    expect(printedAddresses(john, [at(localPart, 'John Smith')])).toHaveLength(Number(isTheirs));
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

describe('places of addresses on a site', () => {
  it('are evaluated once for all people', () => {
    let looks = 0;
    const places = Array.from({ length: 400 }, (_, n): SeenAddress => {
      const near = 'Grace Brewster Hopper Chief Officer of Everything';
      return Object.defineProperty({ email: `a${n}.hopper@firm.com`, near }, 'near', {
        get: () => ((looks += 1), near),
      });
    });
    const find = (last: string) => printedAddresses(new PersonName('John', last), places);
    expect(find('Smith')).toEqual([]);
    expect(looks).toBe(400);
    expect([...find('Miller'), ...find('Allen'), ...find('Allister')]).toEqual([]);
    expect(looks).toBe(400);
  });

  it('are evaluated for one person per turn of the event loop, however many wait', async () => {
    const site: ContactSite = {
      domain: 'firm.com',
      pattern: '{first}.{last}',
      failure: null,
      addresses: [],
      unevaluated: [],
      numbers: [],
      names: new Map(),
    };
    let turn = 0;
    const ranked: number[] = [];
    const provider = new WebContactProvider({
      sites: { readSite: () => Promise.resolve(site), domainOf: () => Promise.resolve(null) },
      mailboxes: {
        checkMailbox: async () => (ranked.push(turn), { state: 'catch_all', costs: [], failure: null }),
      },
    });
    const input = { first_name: 'John', last_name: 'Smith', domain: 'firm.com' };
    const call = (n: number): ProviderCall => ({
      service: 'getEmail',
      input,
      searchId: `svcjob_${n}`,
      signal: new AbortController().signal,
    });
    const all = Promise.all(Array.from({ length: 20 }, (_, n) => provider.answerCall(call(n))));
    for (; ranked.length < 20 && turn < 1000; turn += 1) await nextTurn();
    await all;
    expect(new Set(ranked).size).toBe(20);
  });
});

describe('a free mail domain', () => {
  it.each<[string, boolean]>([
    ...['hotmail.nl', 'yahoo.ca', 'yahoo.com.au', 'yahoo.co.nz', 'live.com.mx', 'live.dk', 'outlook.jp'].map(
      (domain): [string, boolean] => [domain, true],
    ),
    ...['gmx.es', 'yandex.kz', 'aol.co.uk', 'ymail.com', 'mail.gmx.net', 'https://www.hotmail.be/x'].map(
      (domain): [string, boolean] => [domain, true],
    ),
    // Names of companies, at domains in general use or of their own.
    ...['live.tv', 'outlook.io', 'proton.com.my', 'livenation.com', 'yahooinc.com', 'hotmail.acme.com'].map(
      (domain): [string, boolean] => [domain, false],
    ),
  ])('%s: %s', (domain, isFree) => {
    expect(isFreeMail(domain)).toBe(isFree);
  });
});
