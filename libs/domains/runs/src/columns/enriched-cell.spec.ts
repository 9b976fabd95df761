import { describe, expect, it } from '@jest/globals';
import { enrichedCell } from './enriched-cell.js';

const column = (field: string) => ({ key: 'c', name: 'C', field });
const answered = (output: Record<string, unknown>, field = 'value', jobId: string | null = null) =>
  enrichedCell('someService', column(field), { state: 'answered', output, jobId });
const citation = (url: string) => ({ url, title: null, excerpt: 'x', retrieved_at: '2026-01-01T00:00:00Z' });

describe('the cell for an answer', () => {
  it.each([
    ['Oslo', 'filled'],
    [0, 'filled'],
    [false, 'filled'],
    [{}, 'filled'],
    [null, 'empty'],
    [undefined, 'empty'],
    ['', 'empty'],
    [[], 'empty'],
  ])('distinguishes found values from searches that found nothing: %j is %s', (value, status) => {
    const { value: kept, cell } = answered({ value, provider: 'p' });
    expect(cell).toMatchObject({
      status,
      error: null,
      source: { service: 'someService', provider: 'p', job_id: null },
    });
    expect(kept).toEqual(status === 'filled' ? value : null);
  });

  it('takes a part of the answer by its path, from each item of a list', () => {
    const output = { people: [{ name: 'Ada', jobs: [{ at: 'Engines' }] }, { name: 'Bob' }, {}] };
    expect(answered(output, 'people.0.name').value).toBe('Ada');
    expect(answered(output, 'people.name').value).toEqual(['Ada', 'Bob']);
    expect(answered(output, 'people.jobs.at').value).toEqual([['Engines']]);
    for (const field of [
      'people.9.name',
      'nothing',
      'people.toString',
      'constructor',
      'people.0.name.length',
    ])
      expect([field, answered(output, field).cell.status]).toEqual([field, 'empty']);
  });

  it('has reason, confidence and job of the line if the answer includes them', () => {
    expect(
      answered({ value: 1, reasoning: 'so', reason: 'no', confidence: 'high' }, 'value', 'job_1').cell,
    ).toMatchObject({ reasoning: 'so', confidence: 'high', source: { provider: null, job_id: 'job_1' } });
    expect(answered({ value: 1, reason: 'because' }).cell).toMatchObject({
      reasoning: 'because',
      confidence: null,
    });
    expect(answered({ value: 1, reasoning: 7, reason: {} }).cell.reasoning).toBeNull();
  });

  it.each([
    ['its sources', { sources: [citation('a'), citation('b')] }, ['a', 'b']],
    [
      'its evidence, each source once',
      { basis: [{ citations: [citation('a')] }, { citations: [citation('b'), citation('a')] }] },
      ['a', 'b'],
    ],
    [
      'the page that was read',
      { url: 'https://a.example', retrieved_at: 'now', title: 5 },
      ['https://a.example'],
    ],
    ['nothing without the time of reading', { url: 'https://a.example' }, []],
    ['nothing if the page is not text', { url: 5, retrieved_at: 'now' }, []],
    ['nothing', {}, []],
  ])('cites %s', (_, output, urls) => {
    expect(answered({ value: 1, ...output }).cell.citations.map(({ url }) => url)).toEqual(urls);
  });

  it('names the failed service for a failure, and no service for a skipped row', () => {
    const error = { code: 'provider_error', message: 'It failed.' };
    expect(enrichedCell('s', column('x'), { state: 'failed', error, jobId: 'job_1' })).toMatchObject({
      value: null,
      cell: { status: 'failed', error, source: { service: 's', provider: null, job_id: 'job_1' } },
    });
    expect(enrichedCell('s', column('x'), { state: 'skipped', error })).toMatchObject({
      value: null,
      cell: { status: 'skipped', error, source: null, citations: [] },
    });
  });
});
