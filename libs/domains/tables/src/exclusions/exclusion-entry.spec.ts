import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { distinctEntries } from './exclusion-entry.js';
import { linkedinAddress } from './linkedin-address.js';
import { registrableDomain } from '@quarry/dto';

describe('a registrable domain', () => {
  it.each([
    ['acme.com', 'acme.com'],
    [' WWW.Acme.COM. ', 'acme.com'],
    ['https://user:pw@shop.acme.co.uk:8443/a?b#c', 'acme.co.uk'],
    ['ann@mail.acme.com', 'acme.com'],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['XN--BCHER-KVA.DE', 'xn--bcher-kva.de'],
    ['ＡＣＭＥ.com', 'acme.com'],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['one.acme.myshopify.com', 'acme.myshopify.com'],
    ['github.io', 'github.io'],
    ['a.b.example', 'b.example'],
    ['x.miss.sandbox.test', 'miss.sandbox.test'],
  ])('of %s is %s', (text, domain) => {
    expect(registrableDomain(text)).toBe(domain);
  });

  it.each([
    '',
    ' ',
    'acme',
    'localhost',
    'co.uk',
    'com',
    '10.0.0.1',
    '[::1]',
    'a..b.com',
    'a b.com',
    'x\0.com',
    '\ud800.com',
  ])('is not found in %j', (text) => {
    expect(registrableDomain(text)).toBeNull();
  });

  it('is its own registrable domain, whatever text it came from', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.domain(), fc.webUrl(), fc.emailAddress(), fc.string({ unit: 'binary' })),
        (text) => {
          const domain = registrableDomain(text);
          if (domain !== null) expect(registrableDomain(domain)).toBe(domain);
        },
      ),
    );
  });
});

describe('a LinkedIn URL', () => {
  it.each([
    ['https://www.linkedin.com/company/Acme-Inc/', 'https://www.linkedin.com/company/acme-inc'],
    ['linkedin.com/company/acme/about?x=1', 'https://www.linkedin.com/company/acme'],
    ['HTTP://NO.LinkedIn.com/company/123#x', 'https://www.linkedin.com/company/123'],
    ['https://www.linkedin.com/school/oslo', 'https://www.linkedin.com/company/oslo'],
    ['https://www.linkedin.com/company/caf%C3%A9', 'https://www.linkedin.com/company/caf%C3%A9'],
    ['https://www.linkedin.com/company/Cafe\u0301', 'https://www.linkedin.com/company/caf%C3%A9'],
  ])('of a company is normalised: %s', (text, address) => {
    expect(linkedinAddress('companies', text)).toBe(address);
    expect(linkedinAddress('companies', address)).toBe(address);
  });

  it('of a person is stored under /in/, and never confused with one of a company', () => {
    expect(linkedinAddress('people', 'https://uk.linkedin.com/in/Ann-Lee-1a2b/de')).toBe(
      'https://www.linkedin.com/in/ann-lee-1a2b',
    );
    expect(linkedinAddress('people', 'https://www.linkedin.com/company/acme')).toBeNull();
    expect(linkedinAddress('companies', 'https://www.linkedin.com/in/ann')).toBeNull();
  });

  it.each([
    'acme',
    'https://linkedin.com.evil.com/company/acme',
    'https://evil.com/linkedin.com/company/acme',
    'https://notlinkedin.com/company/acme',
    'https://www.linkedin.com/company/',
    'https://www.linkedin.com/company/%00',
    'https://www.linkedin.com/company/%zz',
    'https://www.linkedin.com/constructor/acme',
    'ftp://www.linkedin.com/company/acme',
  ])('is not found in %s', (text) => {
    expect(linkedinAddress('companies', text)).toBeNull();
  });
});

describe('exclusion entries of a request', () => {
  it('are merged per domain, with the latest LinkedIn URL, and invalid items are reported by index', async () => {
    const { entries, accepted, rejected } = await distinctEntries('companies', [
      { domain: 'b.com', linkedin_url: 'linkedin.com/company/b' },
      { domain: 'nonsense' },
      { domain: 'www.b.com' },
      {},
      { linkedin_url: 'linkedin.com/company/a' },
      { domain: 'c.com', linkedin_url: 'linkedin.com/in/c' },
    ]);
    expect(entries).toEqual([
      { domain: 'b.com', linkedinUrl: 'https://www.linkedin.com/company/b' },
      { domain: null, linkedinUrl: 'https://www.linkedin.com/company/a' },
    ]);
    expect(accepted).toBe(3);
    expect(rejected.map(({ index }) => index)).toEqual([1, 3, 5]);
    expect(rejected.every(({ message }) => message.length > 10)).toBe(true);
  });
});
