import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { isWithinLimits, readJsonSchema } from './json-schema.js';

const faultsOf = (schema: unknown): string[] =>
  readJsonSchema(schema).faults.map(({ path, message }) => `${path.join('.')} ${message}`);

/** As Pydantic 2 prints a model with a list of models, optional fields, an enum and a limited number. */
const PYDANTIC = {
  $defs: {
    Company: {
      properties: {
        name: { title: 'Name', type: 'string' },
        size: { $ref: '#/$defs/Size' },
        hq: { anyOf: [{ $ref: '#/$defs/Place' }, { type: 'null' }], default: null },
        founded: { anyOf: [{ minimum: 1800, type: 'integer' }, { type: 'null' }], title: 'Founded' },
      },
      required: ['name', 'size'],
      title: 'Company',
      type: 'object',
    },
    Place: { properties: { city: { title: 'City', type: 'string' } }, title: 'Place', type: 'object' },
    Size: { enum: ['small', 'large'], title: 'Size', type: 'string' },
  },
  properties: { companies: { items: { $ref: '#/$defs/Company' }, title: 'Companies', type: 'array' } },
  required: ['companies'],
  title: 'Companies',
  type: 'object',
};

describe('a JSON Schema', () => {
  it('of Pydantic is read with its references and its unions with null written out', () => {
    const { schema, faults } = readJsonSchema(PYDANTIC);
    expect(faults).toEqual([]);
    expect(schema).toMatchObject({
      properties: {
        companies: {
          title: 'Companies',
          items: {
            title: 'Company',
            properties: {
              size: { enum: ['small', 'large'] },
              hq: { type: ['object', 'null'], properties: { city: { type: 'string' } } },
              founded: { type: ['integer', 'null'], minimum: 1800, title: 'Founded' },
            },
          },
        },
      },
    });
    expect(JSON.stringify(schema)).not.toContain('$');
  });

  it('of Zod is read, and a pattern that repeats a format is left to the format', () => {
    const printed = z.toJSONSchema(
      z.object({
        people: z.array(
          z.object({
            email: z.email().nullable(),
            since: z.iso.date(),
            staff: z.int().positive(),
            kind: z.union([z.literal('a'), z.literal('b')]).nullable(),
            size: z.union([z.string(), z.number()]),
            tags: z.array(z.string()).max(3).optional(),
          }),
        ),
      }),
    );
    const { schema, faults } = readJsonSchema(printed);
    expect(faults).toEqual([]);
    expect(schema).toMatchObject({
      properties: {
        people: {
          items: {
            properties: {
              email: { type: ['string', 'null'], format: 'email' },
              since: { type: 'string', format: 'date' },
              staff: { type: 'integer', exclusiveMinimum: 0 },
              kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
              size: { type: ['string', 'number'] },
              tags: { type: 'array', maxItems: 3 },
            },
            required: ['email', 'since', 'staff', 'kind', 'size'],
          },
        },
      },
    });
    expect(JSON.stringify(schema)).not.toContain('pattern');
  });

  it.each([
    [{ anyOf: [{ type: 'null' }] }, { type: ['null'] }],
    [{ anyOf: [{ const: 1 }, { enum: [2, 'x'] }] }, { enum: [1, 2, 'x'] }],
    [{ anyOf: [{ const: 1 }, { type: 'null' }] }, { enum: [1, null] }],
    [
      { allOf: [{ type: 'string' }], description: 'x' },
      { type: 'string', description: 'x' },
    ],
    [
      { oneOf: [{ type: 'string', minLength: 1 }, { type: 'integer', minimum: 0 }, { type: 'null' }] },
      { type: ['string', 'integer', 'null'], minLength: 1, minimum: 0 },
    ],
    [{ anyOf: [{ const: null }, { type: 'string', const: 'a' }] }, { enum: [null, 'a'] }],
  ])('with the union %j means %j', (sent, meant) => {
    expect(readJsonSchema(sent)).toEqual({ schema: meant, faults: [] });
  });

  it.each([
    [{ $ref: '#/$defs/A' }, '$ref must name an entry of $defs, as in #/$defs/Company'],
    [{ $ref: 'https://x.example/y.json' }, '$ref must name an entry of $defs, as in #/$defs/Company'],
    [
      { $defs: { A: { items: { $ref: '#/$defs/A' } } }, $ref: '#/$defs/A' },
      '$defs.A.items.$ref must not lead back to itself',
    ],
    [{ anyOf: [] }, 'anyOf must be a non-empty array of schemas'],
    [{ anyOf: [{ type: 'string' }], type: 'object' }, 'type is not a supported schema keyword beside anyOf'],
    [{ type: 'string', pattern: 'x' }, 'pattern is not a supported schema keyword without format'],
    [{ type: 'string', maxLength: -1 }, 'maxLength must be a whole number from 0'],
    [{ minimum: '1' }, 'minimum must be a number'],
    [{ minimum: Infinity }, 'minimum must be a number'],
    [{ multipleOf: 0 }, 'multipleOf must be a number above 0'],
    [{ uniqueItems: 1 }, 'uniqueItems must be true or false'],
    [{ properties: [] }, 'properties must be an object of schemas'],
    [[], ' must be a schema object'],
  ])('%j is refused: %s', (schema, fault) => {
    expect(faultsOf(schema)).toEqual([fault]);
  });

  it.each([
    { anyOf: [{ type: 'object', properties: { a: {} } }, { type: 'string' }] },
    { anyOf: [{ type: 'integer' }, { type: 'number' }] },
    { allOf: [{ type: 'string' }, { minLength: 1 }] },
  ])('with a union that one schema cannot say is refused: %j', (schema) => {
    expect(faultsOf(schema)).toHaveLength(1);
  });

  it('is refused at fifty unions within each other, before the reader has no room for more', () => {
    const union = Array.from({ length: 5_000 }).reduce<object>((inner) => ({ anyOf: [inner] }), {});
    expect(faultsOf(union)).toEqual([
      expect.stringMatching(/ must be at most 50 references and unions within each other$/),
    ]);
  });

  it('whose references multiply is refused before they do', () => {
    const all = (name: string) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, { $ref: `#/$defs/${name}` }]));
    const levels = ['A', 'B', 'C', 'D', 'E', 'F'];
    const $defs = Object.fromEntries(
      levels.map((name, n) => [name, { properties: all(levels[n + 1] ?? 'Z') }]),
    );
    const schema = { $defs: { ...$defs, Z: { type: 'string' } }, $ref: '#/$defs/A' };
    expect(faultsOf(schema)).toEqual([' must be at most 5000 schemas with its references written out']);
    const long = { ...$defs, Z: { description: 'x'.repeat(5_000) } };
    expect(faultsOf({ $defs: long, $ref: '#/$defs/A' })).toEqual([
      ' must be at most 500000 characters with its references written out',
    ]);
  });

  it.each([
    [{ minimum: 1, maximum: 3 }, [1, 3], [0.9, 4]],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, [2], [1, 3]],
    [{ multipleOf: 5 }, [10, 0], [7]],
    [{ minLength: 2, maxLength: 3 }, ['ab', '👍👍👍'], ['a', 'abcd']],
    [{ minimum: 5 }, ['a', true, null], []],
  ])('has limits for values: %j', (schema, within, beyond) => {
    for (const value of within) expect(isWithinLimits(value, schema)).toBe(true);
    for (const value of beyond) expect(isWithinLimits(value, schema)).toBe(false);
  });
});
