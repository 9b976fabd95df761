import { describe, expect, it } from '@jest/globals';
import { findSlowService } from '../service-catalogue.js';

/** Source: docs/contract.md#5-services-jobs-credits. */
describe.each([
  ['getEmail', { hit: 1000, deepHit: 3000, deepMiss: 500 }],
  ['getPhoneNumber', { hit: 10_000, deepHit: 12_000, deepMiss: 1000 }],
])('the price of %s', (name, { hit, deepHit, deepMiss }) => {
  const service = findSlowService(name)!;
  const charge = (isRequested: boolean, found: boolean, deep: boolean) =>
    service.charge(isRequested ? { deep: true } : {}, { found, deep });

  it('is due only for a find if no Deep agent was requested', () => {
    expect([charge(false, true, false), charge(false, false, false)]).toEqual([hit, 0]);
    // A provider that runs its Deep agent without a request bears the cost.
    expect([charge(false, true, true), charge(false, false, true)]).toEqual([hit, 0]);
  });

  it('depends on whether a requested Deep agent completed its part', () => {
    expect([charge(true, true, true), charge(true, false, true)]).toEqual([deepHit, deepMiss]);
    expect([charge(true, true, false), charge(true, false, false)]).toEqual([hit, 0]);
  });

  it('never exceeds what was held for it', () => {
    expect([service.worstCase({}), service.worstCase({ deep: true })]).toEqual([hit, deepHit]);
  });
});
