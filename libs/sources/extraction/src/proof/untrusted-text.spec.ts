import { describe, expect, it } from '@jest/globals';
import {
  printMeasurement,
  measureMedian,
  measureThread,
  TEXT_CPU_MS_MAX,
  worstTexts,
} from '@quarry/test-servers';
import { FoldedText } from './folded-text.js';
import { proveClaim, ReadPageText } from './prove-claim.js';

/** Words, numbers, addresses and negations that pages and quotes repeat. */
const UNITS =
  'a|aaaa |free |not free |no |free shipping |1 |1,|1.|1-|+1 |(1) |a.|a@|a@a.|@|https://a |www.|](|1 m |$1 |jan 1 |01.01.2020 |2020-01-01 |2020-01-01t10:00 |é|\u0301|½|😀|\u00ad|| |\n|. '.split(
    '|',
  );
const VALUES: ReadonlyArray<readonly [value: unknown, schema: object]> = [
  [true, { type: 'boolean' }],
  [false, { type: 'boolean' }],
  [7, { type: 'number' }],
  ['zz', { type: 'string' }],
  ['zz@zz.example', { type: 'string', format: 'email' }],
  ['https://zz.example', { type: 'string', format: 'uri' }],
  ['+49 30 1234567', { type: 'string' }],
  ['2021-02-03', { type: 'string', format: 'date' }],
  ['free', { enum: ['free', 'paid'] }],
];
/** Maximum length of a page's text with its structured data, as `FetchedPages` of libs/sources/web limits it. */
const PAGE_CHARACTERS_MAX = 200_000;

describe('checking a claim', () => {
  it('does not block the event loop, whatever page and quote repeat', async () => {
    const spent: Array<{ cpuMs: number; name: string }> = [];
    for (const { name, text } of worstTexts(UNITS.filter(Boolean), 20_000)) {
      const page = new ReadPageText({ id: 'p', url: 'https://a.example/', text, statedFrom: text.length });
      // Folded once for all claims of a page.
      void page.folded;
      for (const [value, schema] of VALUES) {
        const claim = { field: '/f', value, pageId: 'p', quote: text.slice(0, 2_000) };
        const cpuMs = await measureMedian(
          () => proveClaim(claim, schema, new Map([['p', page]]), 'free shipping aaaa'),
          TEXT_CPU_MS_MAX,
        );
        spent.push({ cpuMs, name: `${String(value)} of ${name}` });
      }
    }
    const [most] = spent.sort((a, b) => b.cpuMs - a.cpuMs);
    printMeasurement(`the dearest of ${spent.length} claims: ${most!.cpuMs.toFixed(0)} ms, ${most!.name}`);
    expect(spent.filter(({ cpuMs }) => cpuMs > TEXT_CPU_MS_MAX)).toEqual([]);
  });

  it('is cheap for a page of maximum length, whatever combining marks it has', async () => {
    for (const unit of ['a', 'é', 'a\u0301\u0323', '😀', '½', '\u00ad', '中']) {
      const text = unit.repeat(PAGE_CHARACTERS_MAX / unit.length);
      const cpuMs = await measureMedian(() => new FoldedText(text), TEXT_CPU_MS_MAX);
      printMeasurement(
        `a page of ${PAGE_CHARACTERS_MAX} characters ${JSON.stringify(unit)}: ${cpuMs.toFixed(0)} ms`,
      );
      expect(cpuMs).toBeLessThan(TEXT_CPU_MS_MAX);
    }
  });

  it('refuses a quote of a megabyte before it is read', async () => {
    const page = new ReadPageText({
      id: 'p',
      url: 'https://a.example/',
      text: 'Quiet pumps',
      statedFrom: 11,
    });
    const quote = '\u00e9\u0301'.repeat(500_000);
    const { value, cpuMs } = await measureThread(() =>
      proveClaim({ field: '/f', value: 'x', pageId: 'p', quote }, {}, new Map([['p', page]]), 'f'),
    );
    printMeasurement(`a quote of a megabyte: ${cpuMs.toFixed(1)} ms`);
    expect(value).toEqual({ kind: 'refused', refusal: 'quote_not_in_page' });
    expect(cpuMs).toBeLessThan(TEXT_CPU_MS_MAX);
  });
});
