import { describe, expect, it } from '@jest/globals';
import { Evidence } from './evidence.js';

const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' }, sites: { type: 'array', items: { type: 'string' } } },
} as const;
const reasonsOf = (evidence: Evidence) =>
  new Set(evidence.verified().basis.map(({ reasoning }) => reasoning));

describe('a field without a claim', () => {
  it('says that no page could be read if none was, and not that the pages lack it', () => {
    const evidence = new Evidence(SCHEMA, new Set());
    expect(reasonsOf(evidence)).toEqual(new Set(['No page could be read.']));
    evidence.addPage({
      id: 'p1',
      url: 'https://dunera.example/',
      title: null,
      text: 'Dunera makes pumps.',
      statedFrom: 'Dunera makes pumps.'.length,
      sha256: 'a'.repeat(64),
      retrievedAt: '2026-11-28T09:00:00Z',
    });
    expect(reasonsOf(evidence)).toEqual(new Set(['No page that was read proves it.']));
  });
});
