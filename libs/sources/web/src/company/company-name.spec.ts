import { describe, expect, it } from '@jest/globals';
import { handleKinship, isSameName, nameConfidence } from './company-name.js';
import { candidatesFor } from './domain-search.js';
import { personOn } from './linkedin-url.provider.js';

const page = (parts: Partial<Parameters<typeof nameConfidence>[0]>) => ({
  structured: [],
  microdata: [],
  metadata: {},
  title: null,
  ...parts,
});

describe('a company name', () => {
  it.each([
    ['Halbrook Pumps GmbH', 'HALBROOK PUMPS', true],
    ['Société Générale S.A.', 'societe generale', true],
    ['Halbrook', 'Halbrook Pumps', false],
    ['Group', 'Holding', false],
  ])('%s equals %s: %s', (a, b, isSame) => {
    expect(isSameName(a, b)).toBe(isSame);
  });

  it.each([
    [page({ structured: [{ '@type': 'Corporation', name: 'Halbrook Pumps Ltd' }] }), 'high'],
    [page({ metadata: { 'og:site_name': 'Halbrook pumps' } }), 'high'],
    [page({ title: 'Home | Halbrook Pumps' }), 'medium'],
    [page({ title: 'We love Halbrook Pumps a lot' }), 'low'],
    [page({ title: 'Halbrook' }), null],
    [page({ title: 'This domain is for sale' }), null],
  ])('is confirmed by its page with the confidence of %j', (own, confidence) => {
    expect(nameConfidence(own, 'Halbrook Pumps')).toBe(confidence);
  });

  it('suggests possible domains', () => {
    expect(candidatesFor('Halbrook Pumps GmbH').slice(0, 3)).toEqual([
      'halbrookpumps.com',
      'halbrook-pumps.com',
      'halbrookpumps.io',
    ]);
    expect(candidatesFor('halbrook.example')).toEqual(['halbrook.example']);
    expect(candidatesFor('株式会社')).toEqual([]);
    expect(candidatesFor('x')).toEqual([]);
  });
});

describe('the profile of a person on company pages', () => {
  const profile = (slug: string, near: string) => ({
    kind: 'profile' as const,
    value: `https://uk.linkedin.com/in/${slug}/?trk=x`,
    near,
  });
  const pages = (...contacts: Array<ReturnType<typeof profile>>) => [
    { contacts, structured: [], microdata: [] },
  ];
  const own = 'https://www.linkedin.com/in/al-1815';
  it.each([
    [pages(profile('al-1815', 'Ada M. Lovelace CTO')), own, 'high'],
    [pages(profile('ada-lovelace-1', '')), 'https://www.linkedin.com/in/ada-lovelace-1', 'medium'],
    // Words of two names are not one name.
    [pages(profile('al-1815', 'Ada Byron and Countess of Lovelace')), null, null],
    [pages(profile('grace-hopper', 'Grace Hopper')), null, null],
    [
      [
        {
          contacts: [],
          microdata: [],
          structured: [
            { employee: { '@type': 'Person', name: 'ADA LOVELACE', sameAs: ['https://x.com/al', own] } },
          ],
        },
      ],
      own,
      'high',
    ],
  ])('%#', (on, url, confidence) => {
    expect(personOn(on, 'Ada Lovelace')).toEqual({ linkedin_url: url, confidence });
  });
});

describe('a handle at a social network or job board', () => {
  const home = { ...page({ title: 'Home | Halbrook Pumps' }), url: 'https://www.halbrook-pumps.example/' };
  const meta = { ...page({ title: 'Metabase' }), url: 'https://metabase.example/' };
  const acme = { ...page({ title: 'Acme' }), url: 'https://acme.example/' };

  it.each<[string, typeof home, ReturnType<typeof handleKinship>]>([
    ['halbrook-pumps', home, 'same'],
    ['HalbrookPumps', home, 'same'],
    ['gethalbrookpumps', home, 'same'],
    ['halbrook', home, 'related'],
    ['halbrook', { ...home, url: 'https://pumps.example/' }, 'related'],
    ['halbrookpumpsgmbh', home, 'related'],
    // A part of the title that is not a name.
    ['home24', home, null],
    // Another company whose name is a prefix of this one, and one with this name as its prefix.
    ['meta', meta, null],
    ['acmehq', acme, 'related'],
    ['acmeister', acme, null],
    ['', acme, null],
  ])('%s', (handle, of, kinship) => {
    expect(handleKinship(handle, of)).toBe(kinship);
  });
});
