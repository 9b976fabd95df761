import { describe, expect, it } from '@jest/globals';
import { Evidence } from '@quarry/extraction';
import { measureMedian, printMeasurement, TEXT_CPU_MS_MAX } from '@quarry/test-servers';
import { submitClaims } from './model-research.js';

/** Maximum length of a page's text with its structured data, as `FetchedPages` of libs/sources/web limits it. */
const PAGE_CHARACTERS_MAX = 200_000;

describe('a claim', () => {
  it('among a hundred expensive ones is checked only within a time limit, and the model is told to repeat it', async () => {
    const text = 'free shipping is not free, and no shipping is free '
      .repeat(4_000)
      .slice(0, PAGE_CHARACTERS_MAX);
    const ids = Array.from({ length: 20 }, (_, i) => `p${i}`);
    const evidence = (): Evidence => {
      const made = new Evidence({ type: 'object', properties: { f: { type: 'number' } } }, new Set());
      for (const id of ids)
        made.addPage({
          id,
          url: `https://${id}.example/`,
          text,
          statedFrom: text.length,
          title: null,
          sha256: id,
          retrievedAt: '2026-01-01T00:00:00Z',
        });
      return made;
    };
    const claims = Array.from({ length: 100 }, (_, i) => ({
      field: '/f',
      value: 7,
      page_id: ids[i % ids.length]!,
      quote: text.slice(0, 1_000),
    }));
    let reply = '';
    const cpuMs = await measureMedian(
      () => (reply = submitClaims(evidence(), claims).reply),
      TEXT_CPU_MS_MAX,
    );
    printMeasurement(`a hundred dear claims on twenty long pages: ${cpuMs.toFixed(0)} ms`);
    expect(reply).toContain('hand it in again');
    expect(cpuMs).toBeLessThan(TEXT_CPU_MS_MAX);
  });
});
