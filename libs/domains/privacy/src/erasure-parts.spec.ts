import { describe, expect, it } from '@jest/globals';
import type { ErasurePart } from '@quarry/postgres';
import { addErased, ERASURE_ORDER, inOrder, NOTHING_ERASED, type ErasureParts } from './erasure-parts.js';

describe('the parts of an erasure', () => {
  it('run in the direction in which data is copied, however they are registered', () => {
    const part = {} as ErasurePart<never>;
    const names = Object.keys(ERASURE_ORDER);
    const registered = Object.fromEntries(names.toReversed().map((name) => [name, { ...part, name }]));
    expect(inOrder(registered as unknown as ErasureParts)).toEqual(names.map((name) => ({ name })));
    expect(names).toEqual([
      'lines',
      'plans',
      'monitors',
      'enrichments',
      'runs',
      'tables',
      'go',
      'destinations',
      'outreach',
      'requestAnswers',
    ]);
  });

  it('together count what the receipt counts, and nothing else', () => {
    const counted = new Set<string>(Object.values(ERASURE_ORDER).flat());
    expect(Object.keys(NOTHING_ERASED).toSorted()).toEqual([...counted].toSorted());
  });
});

it('counts of an erasure are added in the order of the receipt, even if the receipt lacks some', () => {
  const sum = addErased(addErased(NOTHING_ERASED, { in_work: 2, names: 1 }), { names: 3 });
  expect(sum).toEqual({ ...NOTHING_ERASED, in_work: 2, names: 4 });
  expect(Object.keys(sum)).toEqual(Object.keys(NOTHING_ERASED));
});
