import { describe, expect, it } from '@jest/globals';
import type { CreateGoRunRequest } from '@quarry/dto';
import fc from 'fast-check';
import { mostOf, timeOf } from './go-terms.js';
import { domainsNamedIn, ResearchScope } from './research-scope.js';

const scopeOf = (request: Partial<CreateGoRunRequest>) => new ResearchScope({ prompt: 'x', ...request });

describe('URLs that a run may read', () => {
  it.each<[string, Partial<CreateGoRunRequest>, string, boolean]>([
    ['include any page of the web', {}, 'https://a.example/x?y#z', true],
    ['exclude other protocols', {}, 'ftp://a.example/', false],
    ['exclude scripts', {}, 'javascript:alert(1)', false],
    ['exclude local files', {}, 'file:///etc/passwd', false],
    ['exclude a host without a protocol', {}, 'a.example', false],
    ['exclude an empty string', {}, '', false],
    ['include a named domain', { include_domains: ['a.example'] }, 'https://a.example:8443/', true],
    [
      'include the subdomains of a named domain',
      { include_domains: ['a.example'] },
      'http://WWW.A.EXAMPLE',
      true,
    ],
    [
      'exclude a domain that only ends with the named one',
      { include_domains: ['a.example'] },
      'https://nota.example',
      false,
    ],
    [
      'exclude a domain that only begins with the named one',
      { include_domains: ['a.example'] },
      'https://a.example.evil.test',
      false,
    ],
    [
      'exclude a named domain in the user info of another host',
      { include_domains: ['a.example'] },
      'https://a.example@evil.test',
      false,
    ],
    [
      'exclude the parent of a named domain',
      { include_domains: ['www.a.example'] },
      'https://a.example',
      false,
    ],
    [
      'include a named domain with a trailing dot',
      { include_domains: ['A.Example'] },
      'https://a.example./x',
      true,
    ],
    [
      'include the Punycode form of a named domain',
      { include_domains: ['bücher.example'] },
      'https://xn--bcher-kva.example/',
      true,
    ],
    [
      'include the Unicode form of a named Punycode domain',
      { include_domains: ['xn--bcher-kva.example'] },
      'https://bücher.example/',
      true,
    ],
    [
      'exclude the subdomains of an excluded domain',
      { exclude_domains: ['a.example'] },
      'https://sub.a.example',
      false,
    ],
    [
      'include every domain that is not excluded',
      { exclude_domains: ['a.example'] },
      'https://b.example',
      true,
    ],
    [
      'exclude an excluded subdomain of a named domain',
      { include_domains: ['a.example'], exclude_domains: ['x.a.example'] },
      'https://y.x.a.example',
      false,
    ],
    [
      'include the other subdomains of a named domain',
      { include_domains: ['a.example'], exclude_domains: ['x.a.example'] },
      'https://y.a.example',
      true,
    ],
    [
      'exclude a domain that is both named and excluded',
      { include_domains: ['a.example'], exclude_domains: ['a.example'] },
      'https://a.example',
      false,
    ],
  ])('%s', (_, request, url, isAllowed) => {
    expect(scopeOf(request).allowsUrl(url)).toBe(isAllowed);
  });

  it('get fewer with each excluded domain, and more with each further included one', () => {
    const domain = fc.constantFrom('a.example', 'b.example', 'x.a.example', 'y.x.a.example', 'c.test');
    const domains = fc.array(domain, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(domains, domains, domain, domain, (include_domains, exclude_domains, more, host) => {
        const url = `https://${host}/`;
        const has = (request: Partial<CreateGoRunRequest>) => scopeOf(request).allowsUrl(url);
        const isBoth = has({ include_domains }) && has({ exclude_domains });
        expect(has({ include_domains, exclude_domains })).toBe(isBoth);
        if (has({ exclude_domains: [...exclude_domains, more] })) expect(has({ exclude_domains })).toBe(true);
        if (has({ include_domains })) expect(has({ include_domains: [...include_domains, more] })).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('domains named in a prompt', () => {
  it.each([
    ['What does https://www.halbrook.com/about sell?', ['halbrook.com']],
    ['Compare halbrook.com, shop.engines.co.uk and Halbrook.COM.', ['halbrook.com', 'engines.co.uk']],
    ['Ask ada@mail.engines.com.', ['engines.com']],
    ['Was macht bücher.de?', ['xn--bcher-kva.de']],
    ['e.g. version 1.2.3 of it, i.e. all', []],
    ['', []],
  ])('are read from "%s"', (prompt, domains) => {
    expect([...domainsNamedIn(prompt)]).toEqual(domains);
  });
});

describe('credits and time of a run', () => {
  it.each<[Partial<CreateGoRunRequest>, number, number]>([
    [{}, 5_000, 120_000],
    [{ effort: 'medium' }, 20_000, 300_000],
    [{ effort: 'high' }, 60_000, 900_000],
    [{ effort: 'high', max_credits: 1.5 }, 1_500, 900_000],
    [{ max_credits: 1000 }, 5_000, 120_000],
    [{ max_credits: 1.0005 }, 1_001, 120_000],
    // The binary floating-point value is slightly lower.
    [{ max_credits: 4.35 }, 4_350, 120_000],
    [{ max_credits: 1.001 }, 1_001, 120_000],
  ])('follow its effort, and never exceed what was allowed: %j', (request, most, ms) => {
    const whole = { prompt: 'x', ...request };
    expect([mostOf(whole), timeOf(whole)]).toEqual([most, ms]);
  });
});
