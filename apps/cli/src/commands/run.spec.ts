import { describe, expect, it } from '@jest/globals';
import type { Api } from '@quarry/sdk';
import { isUnpaid } from './run.js';

describe('a run is done in part', () => {
  it.each([
    ['usage_limit', true],
    ['insufficient_credits', true],
    ['missing_input', false],
    ['not_confirmed', false],
    [null, false],
  ])('where credits did not suffice for a cell, and not for another reason: %s', (code, isPartly) => {
    const error = code === null ? null : { code, message: 'Not asked.' };
    const cells = { email: { error } as Api.Cell };
    expect(isUnpaid({ cells })).toBe(isPartly);
  });
});
