import { describe, expect, it } from '@jest/globals';
import { printMeasurement, measureThread } from '@quarry/test-servers';
import fc from 'fast-check';
import { RobotsRules } from './robots-rules.js';
import parseRobots from './robots.worker.js';

const SITE = 'https://halbrook.example';

const rulesOf = (text: string, product = 'QuarryBot'): RobotsRules =>
  new RobotsRules(parseRobots({ text, product }));

function isAllowed(text: string, path: string, product?: string): boolean {
  return rulesOf(text, product).isAllowed(new URL(path, SITE));
}

describe('the rules of a robots.txt', () => {
  // Source: RFC 9309, sections 2.2.2, 2.2.3 and 5.1.
  it.each([
    ['Disallow: /secret', '/secret/a', false],
    ['Disallow: /%73ecret', '/secret', false],
    ['Disallow: /secret', '/%73ecret', false],
    ['Disallow: /a%2fb', '/a%2Fb', false],
    ['Disallow: /a%2Fb', '/a/b', true],
    ['Disallow: /caf\u00e9', '/caf%c3%a9', false],
    ['Disallow: /with-%2A.html', '/with-*.html', false],
    ['Disallow: /with-%2A.html', '/with-a.html', true],
    ['Disallow: /price-$-list', '/price-$-list', false],
    ['Disallow: /*.gif$', '/a/b.gif', false],
    ['Disallow: /*.gif$', '/a/b.gif?x', true],
    ['Disallow: /exact$', '/exact', false],
    ['Disallow: /exact$', '/exactly', true],
    ['Disallow: /*?*print=', '/a?b=1&print=2', false],
    ['Disallow: /a\nAllow: /a/b', '/a/b/c', true],
    ['Allow: /a\nDisallow: /a', '/a', true],
    ['Disallow:', '/a', true],
    ['disallow : /a # private', '/a', false],
    ['Disallow: /a\u0000\ud800', '/a', true],
  ])('with %j allow %s: %p', (rules, path, verdict) => {
    expect(isAllowed(`User-agent: *\n${rules}`, path)).toBe(verdict);
  });

  it('are those of groups that name the program, in any spelling, else those for everybody', () => {
    const text = `\uFEFFUser-agent: *\r\nDisallow: /all\r\nUser-agent: quarrybot/2.0\rUser-agent: other\n# comment
      Sitemap: https://halbrook.example/map.xml\nDisallow: /one\n\nUser-agent: QUARRYBOT\nDisallow: /two\nCrawl-delay: 3`;
    const verdicts = (product: string): boolean[] =>
      ['/all', '/one', '/two'].map((path) => isAllowed(text, path, product));
    expect(verdicts('QuarryBot')).toEqual([true, false, false]);
    expect(verdicts('Other')).toEqual([true, false, true]);
    expect(verdicts('Nobody')).toEqual([false, true, true]);
    const { delaySeconds, siteMaps } = rulesOf(text);
    expect([delaySeconds, siteMaps]).toEqual([3, ['https://halbrook.example/map.xml']]);
    expect(rulesOf(text, 'Nobody').delaySeconds).toBeNull();
  });

  it('match their wildcards', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', 'ab', '*', '$'), maxLength: 12 });
    const path = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 30 });
    fc.assert(
      fc.property(pattern, path, (written, end) => {
        const isWhole = written.endsWith('$');
        const parts = (isWhole ? written.slice(0, -1) : written).split('*');
        const source = parts.map((part) => part.replaceAll('$', '\\$')).join('.*');
        const isMatch = new RegExp(`^/${source}${isWhole ? '$' : ''}`).test(`/${end}`);
        expect(isAllowed(`User-agent: *\nDisallow: /${written}`, `/${end}`)).toBe(!isMatch);
      }),
      { numRuns: 2_000 },
    );
  });

  it('that are too long to store still disallow, and allow nothing', () => {
    const long = 'a'.repeat(600);
    const text = `User-agent: *\nDisallow: /${long}b\nDisallow: /b\nAllow: /b${long}`;
    const verdicts = [`/${long}`, `/b${long}`, '/c'].map((path) => isAllowed(text, path));
    expect(verdicts).toEqual([false, false, true]);
  });
});

/** Files of half a megabyte that are the most expensive to parse. */
const FILES: Record<string, string> = {
  'three thousand programs, fifty thousand rules':
    'User-agent: x\n'.repeat(3_000) + 'Allow:/\n'.repeat(50_000),
  'the same for everybody': `${'User-agent: *\n'.repeat(3_000)}${numbered(40_000, (at) => `Allow:/${at}`)}`,
  'lines of nothing': '\r'.repeat(512 * 1024),
  'one line': `Disallow: ${'*%é'.repeat(100_000)}`,
  'spaces before a key': ' '.repeat(512 * 1024),
  'letters that need an encoding': `User-agent: *\n${numbered(1_000, (at) => `Disallow: /${'\u0001'.repeat(480)}${at}`)}`,
};

/** A thousand patterns each that almost match at many positions of a long path. */
const PATTERNS: Record<string, (at: number) => string> = {
  'one letter, and another': (at) => `/*${'a'.repeat(480)}b${at}`,
  'wildcards between letters': (at) => `/${'*a'.repeat(245)}b${at}`,
  'words that begin again': (at) => `/*${'ab'.repeat(240)}c${at}`,
  'wildcards between words': (at) => `/${'*aab'.repeat(120)}${at}`,
};

function numbered(count: number, line: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => line(at)).join('\n');
}

// A third-party parser needed 4.3 GB for the first of these files, and 15 s for a verdict. Usual here: 5 to 60 ms of a core.
const CPU_MS_MAX = 1_000;

describe('the cost of a robots.txt', () => {
  it.each(Object.keys(FILES))('is low to parse: %s', async (name) => {
    const text = FILES[name]!;
    const before = process.memoryUsage().heapUsed;
    const { value, cpuMs } = await measureThread(() => rulesOf(text));
    const megabytes = (process.memoryUsage().heapUsed - before) / 2 ** 20;
    printMeasurement(`robots.txt of ${name}: ${cpuMs.toFixed(0)} ms, ${megabytes.toFixed(0)} MB`);
    expect(value.bytes).toBeLessThan(1_000_000);
    expect(megabytes).toBeLessThan(50);
    expect(cpuMs).toBeLessThan(CPU_MS_MAX);
  });

  it.each(Object.keys(PATTERNS))('is low to match: %s', async (name) => {
    const rules = rulesOf(`User-agent: *\n${numbered(1_000, (at) => `Disallow: ${PATTERNS[name]!(at)}`)}`);
    const urls = ['a', 'ab'].map((unit) => new URL(`/${unit.repeat(50_000)}`, SITE));
    const { value, cpuMs } = await measureThread(() => urls.map((url) => rules.isAllowed(url)));
    printMeasurement(`verdict on ${name}: ${(cpuMs / 2).toFixed(0)} ms`);
    expect(value).toEqual([true, true]);
    expect(cpuMs).toBeLessThan(CPU_MS_MAX);
  });
});
