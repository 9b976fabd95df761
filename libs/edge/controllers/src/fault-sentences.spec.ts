import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { AppError, type ErrorDetail } from '@quarry/error-codes';
import type { FaultStyle } from '@quarry/dto';
import { bodyOf, bodySchemaOf, type DeclaredRoute, queryOf, routesOf } from '@quarry/http';
import { CONTROLLERS } from './http-api.module.js';

type Field = { type?: string | string[]; enum?: unknown[] };

/** Values for every field: missing, of every type, empty, and too long. */
const VALUES = [
  undefined,
  null,
  5,
  -1,
  1.5,
  1e-7,
  true,
  '',
  'x',
  'x'.repeat(30_000),
  [],
  {},
  [5],
  [null],
  [{}],
  [[]],
  ['x'],
];
const QUERIES = ['', 'x', '-1', '1.5', '0', '99999999', '1e3', 'x'.repeat(3000)];
const SAYS: Readonly<Record<string, string>> = {
  string: 'must be a string',
  boolean: 'must be true or false',
  array: 'must be a list',
  number: 'must be a number with at most 3 decimal places',
  object: 'must be an object',
  integer: 'must be an integer number',
};

const routes = routesOf(CONTROLLERS);
const named = (wanted: (route: DeclaredRoute) => unknown) =>
  routes.filter(wanted).map((route) => [`${route.method} ${route.path}`, route] as const);

async function faultsOf(work: () => unknown): Promise<ErrorDetail[]> {
  try {
    await work();
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    const { details = [], message } = error as AppError;
    expect(message).toBe(details.map((each) => each.message).join('; '));
    return details;
  }
}

const textOf = (path: ErrorDetail['path']): string =>
  typeof path === 'string'
    ? path
    : path.reduce((text, step) => text + (/^\d+$/.test(step) ? `[${step}]` : step), '');

/** Expects each field once, with one sentence that starts with its name. */
function expectOneSentenceEach(faults: ErrorDetail[]): void {
  const paths = faults.map(({ path }) => textOf(path));
  expect(paths).toEqual([...new Set(paths)]);
  for (const { path, message } of faults) {
    expect(message.startsWith(textOf(path)) || message.startsWith(`each of ${textOf(path)}`)).toBe(true);
    expect(message).not.toMatch(/[.;]\s|\bundefined\b|nested property/);
  }
}

function kindOf(value: unknown, type: string): string {
  if (value === null) return 'null';
  if (type === 'integer' && Number.isInteger(value)) return 'integer';
  return Array.isArray(value) ? 'array' : typeof value;
}

describe('the error message for an invalid request', () => {
  it.each(named(({ body }) => body))(
    'has one correct sentence for each field of the body of %s',
    async (_, route) => {
      const style: FaultStyle = route.policy.style;
      const { properties } = bodySchemaOf(route.body!) as { properties: Record<string, Field> };
      const example = route.documentation.example as Record<string, unknown>;
      for (const [name, field] of Object.entries(properties)) {
        const [type, ...others] = [field.type].flat();
        for (const value of VALUES) {
          const faults = await faultsOf(() =>
            bodyOf(route.body!, style).transform({ ...example, [name]: value }, { type: 'body' }),
          );
          expectOneSentenceEach(faults);
          const own = faults.find(({ path }) => textOf(path) === name);
          if (value === undefined) expect(own?.message ?? `${name} is required`).toBe(`${name} is required`);
          else if (type && !field.enum && ![type, ...others].includes(kindOf(value, type)))
            expect(own?.message).toBe(`${name} ${SAYS[type]}`);
          else
            expect(own?.message ?? '').not.toMatch(
              /is required|^(?!each of ).*must be (a|an) (string|list)$/,
            );
        }
      }
    },
  );

  it.each(named(({ query }) => query))(
    'has one correct sentence for each parameter of %s',
    async (_, route) => {
      const { properties } = bodySchemaOf(route.query!) as { properties: Record<string, Field> };
      for (const name of Object.keys(properties))
        for (const text of QUERIES) {
          const faults = await faultsOf(() =>
            queryOf(route.query!, route.policy.style).transform(`${name}=${text}`, { type: 'query' }),
          );
          expectOneSentenceEach(faults);
          expect(faults.map(({ path }) => textOf(path))).toEqual(faults.length === 0 ? [] : [name]);
        }
    },
  );

  it('names the invalid item of a list', async () => {
    const read = (items: unknown) =>
      faultsOf(() =>
        bodyOf(
          routes.find(({ path, method }) => path.endsWith('/exclusions/{kind}') && method === 'post')!.body!,
        ).transform({ items }, { type: 'body' }),
      );
    expect(await read([{ domain: 'a.example' }, 5, { domain: 7 }, { domain: '' }])).toEqual([
      { path: 'items[1]', message: 'items[1] must be an object' },
      { path: 'items[2].domain', message: 'items[2].domain must be a string' },
      { path: 'items[3].domain', message: 'items[3].domain must not be empty' },
    ]);
  });
});
