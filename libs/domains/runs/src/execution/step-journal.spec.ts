import { expect, it } from '@jest/globals';
import { plansOfStep } from './step-journal.js';

it.each([
  ['of a newer version', [{ plan: { version: 99 } }]],
  ['that is damaged', [{ plan: { version: 2, columns: 'x' } }]],
  ['that is no list', { plan: null }],
])('a conversation goes on without a plan %s', (_what, stored) => {
  expect(plansOfStep(stored)).toEqual([]);
});
