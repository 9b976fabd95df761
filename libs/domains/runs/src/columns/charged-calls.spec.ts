import { describe, expect, it } from '@jest/globals';
import { priceOf, type ServiceCall } from '@quarry/plan-compiler';
import { findService } from '@quarry/service-catalog';
import { ChargedCalls } from './charged-calls.js';

const callOf = (service: string, inputs: ServiceCall['inputs']): ServiceCall => ({
  key: 'k',
  service: findService(service)!,
  inputs,
  columns: [],
  needs: [],
});
const domainOf = callOf('findDomain', { company: 'company' });
const research = callOf('webResearch', { question: 'company', effort: { value: 'low' } });

/** Counts the rows of the given companies. */
function count(call: ServiceCall, companies: ReadonlyArray<string | null>, isFresh = false, most = Infinity) {
  const charges = new ChargedCalls(call, isFresh);
  const covered = companies.filter((company) =>
    charges.addRow({ evidence: { company }, subject: null }, most),
  );
  const calls = charges.creditsMax / priceOf(call);
  return { covered: covered.length, lookedUp: charges.rowsLookedUp, calls };
}

describe('the maximum price of a call for rows', () => {
  it('leaves out rows without any input', () => {
    expect(count(domainOf, ['Acme', null, ' ', 'Beta'])).toEqual({ covered: 4, lookedUp: 2, calls: 2 });
  });

  it('counts equal inputs once', () => {
    expect(count(domainOf, ['Acme', 'Acme ', 'Beta', 'Acme'])).toEqual({ covered: 4, lookedUp: 4, calls: 2 });
  });

  it('counts equal inputs of a slow service once per batch of a hundred, and each of them if all must be fresh', () => {
    const companies = Array.from({ length: 150 }, () => 'Acme');
    expect(count(research, companies)).toEqual({ covered: 150, lookedUp: 150, calls: 2 });
    expect(count(research, companies, true)).toEqual({ covered: 150, lookedUp: 150, calls: 150 });
  });

  it('identifies a person the way the service does', () => {
    const charges = new ChargedCalls(callOf('getEmail', undefined), false);
    for (const first_name of ['Ada', 'ADA'])
      charges.addRow(
        { evidence: {}, subject: { first_name, last_name: 'Lovelace', domain: 'engines.example' } },
        Infinity,
      );
    expect(charges.creditsMax).toBe(priceOf(callOf('getEmail', undefined)));
  });

  it('stops before the first row that the limit does not cover; free rows do not count against it', () => {
    const most = priceOf(domainOf) * 2;
    const companies = [null, 'Acme', 'Acme', 'Beta', null];
    expect(count(domainOf, companies, false, most)).toEqual({ covered: 5, lookedUp: 3, calls: 2 });
    expect(count(domainOf, ['Acme', 'Beta', 'Care'], false, most)).toEqual({
      covered: 2,
      lookedUp: 2,
      calls: 2,
    });
  });
});
