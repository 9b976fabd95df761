import { describe, expect, it } from '@jest/globals';
import type { CreateGoRunRequest } from '@quarry/dto';
import fc from 'fast-check';
import { mostOf, timeOf } from './go-terms.js';
import { domainsNamedIn, ResearchScope } from './research-scope.js';

const scopeOf = (request: Partial<CreateGoRunRequest>) => new ResearchScope({ prompt: 'x', ...request });

describe('addresses that a run may read', () => {
  it.each<[string, Partial<CreateGoRunRequest>, string, boolean]>([
    ['any of the web', {}, 'https://a.example/x?y#z', true],
    ['of no other protocol', {}, 'ftp://a.example/', false],
    ['of no script', {}, 'javascript:alert(1)', false],
    ['of no file', {}, 'file:///etc/passwd', false],
    ['no text', {}, 'a.example', false],
    ['nothing', {}, '', false],
    ['of a domain that is named', { include_domains: ['a.example'] }, 'https://a.example:8443/', true],
    ['of what is below it', { include_domains: ['a.example'] }, 'http://WWW.A.EXAMPLE', true],
    ['of nothing that only ends like it', { include_domains: ['a.example'] }, 'https://nota.example', false],
    [
      'of nothing that only begins like it',
      { include_domains: ['a.example'] },
      'https://a.example.evil.test',
      false,
    ],
    [
      'of nobody whose name is in front of another',
      { include_domains: ['a.example'] },
      'https://a.example@evil.test',
      false,
    ],
    ['of nothing above it', { include_domains: ['www.a.example'] }, 'https://a.example', false],
    [
      'of a domain as root servers write it',
      { include_domains: ['A.Example'] },
      'https://a.example./x',
      true,
    ],
    [
      'of a domain in letters of its own',
      { include_domains: ['bücher.example'] },
      'https://xn--bcher-kva.example/',
      true,
    ],
    [
      'of a domain whose address has such letters',
      { include_domains: ['xn--bcher-kva.example'] },
      'https://bücher.example/',
      true,
    ],
    ['of nothing that is ruled out', { exclude_domains: ['a.example'] }, 'https://sub.a.example', false],
    ['of all else', { exclude_domains: ['a.example'] }, 'https://b.example', true],
    [
      'of no part that is ruled out',
      { include_domains: ['a.example'], exclude_domains: ['x.a.example'] },
      'https://y.x.a.example',
      false,
    ],
    [
      'of the other parts',
      { include_domains: ['a.example'], exclude_domains: ['x.a.example'] },
      'https://y.a.example',
      true,
    ],
    [
      'of nothing that is both',
      { include_domains: ['a.example'], exclude_domains: ['a.example'] },
      'https://a.example',
      false,
    ],
  ])('are those %s', (_, request, url, isAllowed) => {
    expect(scopeOf(request).allowsUrl(url)).toBe(isAllowed);
  });

  it('are fewer with each domain that is ruled out, and more with each that is named beside another', () => {
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

describe('domains that a prompt names', () => {
  it.each([
    ['What does https://www.halbrook.com/about sell?', ['halbrook.com']],
    ['Compare halbrook.com, shop.engines.co.uk and Halbrook.COM.', ['halbrook.com', 'engines.co.uk']],
    ['Ask ada@mail.engines.com.', ['engines.com']],
    ['Was macht bücher.de?', ['xn--bcher-kva.de']],
    ['e.g. version 1.2.3 of it, i.e. all', []],
    ['', []],
  ])('are its own sites: %s', (prompt, domains) => {
    expect([...domainsNamedIn(prompt)]).toEqual(domains);
  });
});

describe('what a run may cost and take', () => {
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
  ])('is what its effort says, and never above what was allowed: %j', (request, most, ms) => {
    const whole = { prompt: 'x', ...request };
    expect([mostOf(whole), timeOf(whole)]).toEqual([most, ms]);
  });
});
