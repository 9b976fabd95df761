import { describe, expect, it } from '@jest/globals';
import { nearestIndustries } from './nearest-industries.js';

describe('unknown industry names', () => {
  it.each([
    ['insurtechh', ['Insurtech']],
    ['in the fintehc industry', ['Fintech']],
    ['Cyber-securty', ['Cybersecurity']],
  ])('%s: get a suggestion for a misspelling', (text, names) => {
    expect(nearestIndustries(text)).toEqual(names);
    expect(nearestIndustries(text, false)).toEqual(names);
  });

  it('get suggestions that share a word', () => {
    const near = nearestIndustries('quantum hardware');
    expect(near.length).toBeGreaterThan(0);
    expect(near.length).toBeLessThanOrEqual(3);
    expect(near.join()).toMatch(/Hardware/);
    expect(nearestIndustries('quantum hardware', false)).toEqual([]);
  });

  it.each(['purple things', 'the', '', 'that are profitable'])('%j: may get none', (text) =>
    expect(nearestIndustries(text, false)).toEqual([]),
  );
});
