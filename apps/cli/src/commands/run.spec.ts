import { describe, expect, it } from '@jest/globals';
import type { Api } from '@quarry/sdk';
import { isUnpaid } from './run.js';

describe('a run is incomplete', () => {
  it.each([
    ['usage_limit', true],
    ['insufficient_credits', true],
    ['missing_input', false],
    ['not_confirmed', false],
    [null, false],
  ])('if credits ran out for a cell, and for no other reason: %s', (code, isPartly) => {
    const error = code === null ? null : { code, message: 'Not asked.' };
    const cells = { email: { error } as Api.Cell };
    expect(isUnpaid({ cells })).toBe(isPartly);
  });
});
