import { describe, expect, it } from '@jest/globals';
import { allServices, inputFaults, jsonSchemasOf } from '../service-catalogue.js';
import { limitOf, searchCompanies, searchPeople } from './search.services.js';

describe.each([searchCompanies, searchPeople])('the input of $name', (service) => {
  const faults = (input: unknown) => inputFaults(service, input).map(({ path }) => path.join('.'));

  it('is refused without a filter: a limit alone filters nothing', () => {
    expect(faults({})).toEqual(['']);
    expect(faults({ limit: 5 })).toEqual(['']);
  });

  it.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 101 }],
    ['limit', { limit: 1.5 }],
    ['industries', { industries: [] }],
    ['industries.0', { industries: [' '] }],
    ['industries.1', { industries: ['a', 7] }],
    ['countries', { countries: 'Germany' }],
    ['headcount_min', { headcount_min: -1 }],
    ['headcount_max', { headcount_min: 10, headcount_max: 9 }],
    ['founded_max', { founded_min: 2000, founded_max: 1999 }],
    ['founded_min', { founded_min: 99 }],
    ['funding_amount_usd_max', { funding_amount_usd_min: 2, funding_amount_usd_max: 1 }],
    ['', { unknown_filter: ['x'] }],
  ])('is refused at %s: %j', (path, wrong) => {
    expect(faults({ names: ['Acme'], ...wrong })).toEqual([path]);
  });

  it('has a published schema that matches the validation', () => {
    const { input } = jsonSchemasOf(service) as { input: Record<string, any> };
    expect(input.additionalProperties).toBe(false);
    expect(input.properties.limit).toMatchObject({ minimum: 1, maximum: 100, default: 10 });
    expect(input.required).toBeUndefined();
    expect(input.anyOf).toContainEqual({ required: ['industries'] });
    expect(input.anyOf).not.toContainEqual({ required: ['limit'] });
  });

  it('costs a quarter of a credit per item, and holds the price of its limit', () => {
    expect([limitOf({}), service.worstCase({}), service.worstCase({ limit: 100 })]).toEqual([
      10, 2500, 25_000,
    ]);
    expect([service.charge(0), service.charge(7), service.price.max]).toEqual([0, 1750, 25_000]);
  });
});

describe('the service catalogue', () => {
  it('has examples for every service that its own schema accepts', () => {
    for (const service of allServices())
      for (const example of service.examples) expect(inputFaults(service, example)).toEqual([]);
  });
});
