import { describe, expect, it } from '@jest/globals';
import { pathText } from '@quarry/dto';
import { allServices, inputFaults, jsonSchemasOf } from './service-catalogue.js';

const VALUES = [
  undefined,
  null,
  5,
  -1,
  1.5,
  1e9,
  true,
  '',
  'x',
  [],
  {},
  [5],
  [null],
  [{}],
  ['x', 7, ''],
  'x'.repeat(50_000),
];
const AT = ['inputs', 3];

describe('the error for an invalid service input', () => {
  it.each(allServices().map((service) => [service.name, service] as const))(
    'has one sentence for each field of %s, and names it',
    (_, service) => {
      const example = service.examples[0] as Record<string, unknown>;
      for (const name of [...Object.keys(jsonSchemasOf(service).input.properties as object), 'nickname'])
        for (const value of VALUES)
          for (const at of [[], AT]) {
            const faults = inputFaults(
              service,
              { ...example, [name]: value, ...(value === '' ? { other: 1 } : {}) },
              at,
            );
            const keys = faults.map(({ path, message }) =>
              message.includes('Unrecognized key') ? message : pathText(path),
            );
            expect(keys).toEqual([...new Set(keys)]);
            for (const { path, message } of faults) {
              expect(message.startsWith(pathText(path))).toBe(true);
              expect(message).not.toMatch(/Invalid input|Too (small|big)|received|undefined|\. /);
              // The length is not checked of a missing value or one of another type.
              if (typeof value !== 'string' && !Array.isArray(value))
                expect(message).not.toMatch(/character|item/);
            }
          }
    },
  );

  it('says what is required', () => {
    const service = allServices().find(({ name }) => name === 'searchPeople')!;
    const faults = inputFaults(
      service,
      { cities: [], roles: ['CTO', 7], limit: 101, names: 'Ada', q: 1, z: 2 },
      ['inputs', 0],
    );
    expect(faults.map(({ message }) => message).sort()).toEqual([
      'inputs[0].cities must have at least 1 item',
      'inputs[0].limit must be at most 100',
      'inputs[0].names must be a list',
      'inputs[0].roles[1] must be a string',
      'inputs[0]: Unrecognized key: "q"',
      'inputs[0]: Unrecognized key: "z"',
    ]);
  });

  it.each([
    ['searchPeople', 'titles', 'roles'],
    ['searchCompanies', 'industry', 'industries'],
    ['getEmail', 'linkedin', 'linkedin_url'],
    ['getEmail', 'company_name', 'company'],
    ['enrichCompany', 'website', 'domain'],
  ])('suggests for an unknown field of %s, %s, the field %s', (name, key, meant) => {
    const service = allServices().find((each) => each.name === name)!;
    const fault = inputFaults(service, { ...(service.examples[0] as object), [key]: 'x' })[0]!;
    expect(fault.message + (fault.hint?.() ?? '')).toBe(
      `Unrecognized key: "${key}"; did you mean "${meant}"?`,
    );
  });

  it.each([
    [
      { properties: { a: { pattern: 'x' } } },
      'schema.properties.a.pattern: is not a supported schema keyword without format',
    ],
    [
      { $ref: '#/$defs/A', $defs: { A: { type: 'object' } } },
      'schema must have the type object and properties',
    ],
  ])('names the place in a schema that extractData cannot fill: %j', (schema, message) => {
    const service = allServices().find(({ name }) => name === 'extractData')!;
    expect(inputFaults(service, { urls: ['https://a.example'], schema }).map((each) => each.message)).toEqual(
      [message],
    );
  });

  it('names the missing field', () => {
    const service = allServices().find(({ name }) => name === 'webResearch')!;
    expect(inputFaults(service, {})).toEqual([{ path: ['question'], message: 'question is required' }]);
  });
});
