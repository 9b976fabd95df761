import { describe, expect, it } from '@jest/globals';
import type { CreateGoRunRequest } from '@quarry/dto';
import { wordTable } from '@quarry/vocabulary';
import fc from 'fast-check';
import { mostOf, timeOf } from './go-terms.js';
import { domainsNamedIn, ResearchScope } from './research-scope.js';

const scopeOf = (request: Partial<CreateGoRunRequest>) => new ResearchScope({ prompt: 'x', ...request });

describe('URLs that a run may read', () => {
  it.each(
    wordTable(
      `
      include any page of the web | | | https://a.example/x?y#z
      exclude other protocols | | | ftp://a.example/
      exclude scripts | | | javascript:alert(1)
      exclude local files | | | file:///etc/passwd
      exclude a host without a protocol | | | a.example
      exclude an empty string | | |
      include a named domain | a.example | | https://a.example:8443/
      include the subdomains of a named domain | a.example | | http://WWW.A.EXAMPLE
      exclude a domain that only ends with the named one | a.example | | https://nota.example
      exclude a domain that only begins with the named one | a.example | | https://a.example.evil.test
      exclude a named domain in the user info of another host | a.example | | https://a.example@evil.test
      exclude the parent of a named domain | www.a.example | | https://a.example
      include a named domain with a trailing dot | A.Example | | https://a.example./x
      include the Punycode form of a named domain | bücher.example | | https://xn--bcher-kva.example/
      include the Unicode form of a named Punycode domain | xn--bcher-kva.example | | https://bücher.example/
      exclude the subdomains of an excluded domain | | a.example | https://sub.a.example
      include every domain that is not excluded | | a.example | https://b.example
      exclude an excluded subdomain of a named domain | a.example | x.a.example | https://y.x.a.example
      include the other subdomains of a named domain | a.example | x.a.example | https://y.a.example
      exclude a domain that is both named and excluded | a.example | a.example | https://a.example
    `,
      (what, included, excluded, url) => ({ what, included, excluded, url }),
    ),
  )('$what', ({ what, included, excluded, url }) => {
    const request = {
      ...(included && { include_domains: [included] }),
      ...(excluded && { exclude_domains: [excluded] }),
    };
    expect(scopeOf(request).allowsUrl(url)).toBe(what.startsWith('include '));
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
