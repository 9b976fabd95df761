import { describe, expect, it } from '@jest/globals';
import type { ServiceCall } from '@quarry/plan-compiler';
import { FilledValues, inPieces } from './filled-values.js';

const call = (...needs: string[]) => ({ needs }) as unknown as ServiceCall;

describe('values that an enrichment keeps of its rows', () => {
  it('are those that a later call reads, until the rows are finished', () => {
    const filled = new FilledValues([call(), call('site')]);
    filled.keepValues('row_1', { site: 'a.test', page: 'x'.repeat(1000) });
    filled.keepValues('row_1', { site: 'b.test' });
    filled.keepValues('row_2', { page: 'y', site: null });
    expect(filled.areNeeded).toBe(true);
    expect([filled.valueOf('row_1', 'site'), filled.valueOf('row_1', 'page')]).toEqual(['b.test', null]);
    filled.dropRows([{ id: 'row_1' }, { id: 'row_2' }]);
    expect(filled.valueOf('row_1', 'site')).toBeNull();
    expect(new FilledValues([call()]).areNeeded).toBe(false);
  });

  it.each([
    [['a', 'b', 'c'], 6, [['a', 'b'], ['c']]],
    [['long one', 'b', 'c', 'd'], 6, [['long one'], ['b', 'c'], ['d']]],
    [[], 6, []],
  ])('are written in chunks: %j, at most %i characters', (changes: string[], most, pieces) =>
    expect(inPieces(changes, most)).toEqual(pieces),
  );
});
