// The DTO decorators need it; in an app the framework loads it first.
import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError, type ErrorDetail } from '@quarry/error-codes';
import { CELL_BYTES_MAX } from './cell-fault.js';
import { validateImport, type ImportRequest } from './import-request.js';

const columns = [
  { key: 'name', name: 'Name' },
  { key: 'staff', name: 'Staff', kind: 'number' },
];
const body = (over: Record<string, unknown>) => JSON.stringify({ name: 'Leads', columns, rows: [], ...over });

function parseImportRequest(text: string): ImportRequest {
  const steps = validateImport(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function faultsOf(text: string): ErrorDetail[] {
  try {
    parseImportRequest(text);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return error.details ?? [];
    throw error;
  }
  throw new Error('The body was not refused.');
}
const paths = (text: string) => faultsOf(text).map(({ path }) => path);

describe('validating an import', () => {
  it('names all invalid fields at once, in details and in the message', () => {
    const text = JSON.stringify({
      name: '',
      columns: [{ key: 'a', name: 7 }, { key: '', name: 'B', kind: 'colour' }, 'c'],
      rows: [{ a: 'x', b: 'y' }, 5],
    });
    const named = [
      'name',
      'columns[0].name',
      'columns[1].key',
      'columns[1].kind',
      'columns[2]',
      'rows[0].b',
      'rows[1]',
    ];
    expect(paths(text)).toEqual(named);
    expect(() => parseImportRequest(text)).toThrow(
      new RegExp(named.map((path) => path.replace(/[[\].]/g, '\\$&')).join('.*')),
    );
  });

  it('reports an unknown field with an empty path and its key, in the same words as every other route', () => {
    const unknown = body({ colour: 1, columns: [{ key: 'a', name: 'A', width: 3, qualifcation: {} }] });
    expect(faultsOf(unknown)).toEqual([
      { path: '', message: 'Unrecognized key: "colour"' },
      { path: '', message: 'Unrecognized key: "columns[0].width"' },
      { path: '', message: 'Unrecognized key: "columns[0].qualifcation"; did you mean "qualification"?' },
    ]);
    expect(faultsOf('{"name":"n","columns":[{"key":"a","name":"A"}],"rows":[],"__proto__":{}}')).toEqual([
      { path: '', message: 'Unrecognized key: "__proto__"' },
    ]);
  });

  it.each(['[]', '"text"', '7', 'null', 'true'])('refuses the body %s, which is not an object', (text) => {
    expect(faultsOf(text)).toEqual([{ path: '', message: 'The body must be a JSON object' }]);
  });

  it('names every missing field', () => {
    expect(faultsOf('{}').map(({ message }) => message)).toEqual([
      'name is required',
      'columns is required',
      'rows is required',
    ]);
  });

  it('reports no keys of rows if no column list was sent', () => {
    expect(faultsOf('{"name":"n","columns":{},"rows":[{"a":1}]}')).toEqual([
      { path: 'columns', message: 'columns must be a list' },
    ]);
  });

  it('stops at a hundred errors and says so', () => {
    const rows = Array.from({ length: 5000 }, () => ({ other: 1 }));
    expect(faultsOf(body({ rows }))).toHaveLength(100);
    expect(() => parseImportRequest(body({ rows }))).toThrow('only the first 100 errors are listed');
  });

  it('does not echo an invented key of a megabyte', () => {
    expect(JSON.stringify(faultsOf(body({ rows: [{ ['k'.repeat(1_000_000)]: 1 }] }))).length).toBeLessThan(
      1000,
    );
  });

  it('accepts 100,000 rows and no more', () => {
    const rows = Array.from({ length: 100_000 }, () => ({}));
    expect(parseImportRequest(body({ rows })).rows.count).toBe(100_000);
    expect(paths(body({ rows: [...rows, {}] }))).toEqual(['rows']);
  });

  it('accepts 1 to 200 columns with keys of 1 to 64 characters, and no more', () => {
    const make = (count: number, length: number) =>
      body({
        columns: Array.from({ length: count }, (_, i) => ({ key: `${i}`.padEnd(length, 'x'), name: 'N' })),
      });
    expect(parseImportRequest(make(200, 64)).columns).toHaveLength(200);
    expect(paths(make(0, 1))).toEqual(['columns']);
    expect(paths(make(201, 10))).toEqual(['columns']);
    expect(paths(make(1, 65))).toEqual(['columns[0].key']);
    expect(parseImportRequest(body({ columns: [{ key: '🚀'.repeat(64), name: 'N' }] })).columns).toHaveLength(
      1,
    );
  });

  it('refuses two keys that are equal after NFC, and __proto__ and dots, but no other JavaScript name', () => {
    const keyed = (...keys: string[]) => body({ columns: keys.map((key) => ({ key, name: 'N' })) });
    expect(paths(keyed('\u00e9', 'e\u0301'))).toEqual(['columns[1].key']);
    expect(paths(keyed('a', 'a'))).toEqual(['columns[1].key']);
    for (const key of ['__proto__', '.', '..']) expect(paths(keyed(key))).toEqual(['columns[0].key']);
    expect(
      parseImportRequest(keyed('constructor', 'toString', 'hasOwnProperty', '🦊', 'مفتاح')).columns,
    ).toHaveLength(5);
  });

  it('refuses an inherited property of JavaScript objects if no column declares it', () => {
    expect(paths(body({ rows: [{ constructor: 1 }] }))).toEqual(['rows[0].constructor']);
    expect(paths('{"name":"n","columns":[{"key":"a","name":"A"}],"rows":[{"__proto__":1}]}')).toEqual([
      'rows[0].__proto__',
    ]);
  });

  it('refuses NUL and broken surrogates wherever text is allowed', () => {
    for (const bad of ['a\0', '\ud800', 'x\udfff']) {
      expect(paths(body({ name: bad }))).toEqual(['name']);
      expect(paths(body({ columns: [{ key: bad, name: 'A' }] }))).toEqual(['columns[0].key']);
      expect(paths(body({ rows: [{ name: bad }] }))).toEqual(['rows[0].name']);
      expect(paths(body({ rows: [{ name: { deep: [bad] } }] }))).toEqual(['rows[0].name']);
      expect(paths(body({ rows: [{ name: { [bad]: 1 } }] }))).toEqual(['rows[0].name']);
    }
  });

  it('refuses integers that would be rounded, with the hint to send a string', () => {
    const row = (number: string) =>
      `{"name":"n","columns":[{"key":"a","name":"A"}],"rows":[{"a":${number}}]}`;
    for (const number of [
      '9007199254740993',
      '-9007199254740993',
      '1e21',
      '1e400',
      '[1,{"x":9007199254740992}]',
    ])
      expect(faultsOf(row(number))[0]).toEqual({
        path: 'rows[0].a',
        message: expect.stringContaining('send it as a string'),
      });
    for (const number of ['9007199254740991', '0.1', '-0', '1e-400', '1.5e300'.replace('e300', 'e10')])
      expect(parseImportRequest(row(number)).rows.count).toBe(1);
  });

  it('measures a cell in UTF-8 bytes', () => {
    const cell = (value: unknown) => body({ rows: [{ name: value }] });
    expect(parseImportRequest(cell('é'.repeat(CELL_BYTES_MAX / 2))).rows.count).toBe(1);
    expect(paths(cell(`${'é'.repeat(CELL_BYTES_MAX / 2)}x`))).toEqual(['rows[0].name']);
    expect(paths(cell(['x'.repeat(CELL_BYTES_MAX)]))).toEqual(['rows[0].name']);
  });

  it('requires the JSON type of a declared kind, and allows null for every kind', () => {
    const typed = (kind: string, value: unknown) =>
      body({ columns: [{ key: 'a', name: 'A', kind }], rows: [{ a: value }, { a: null }, {}] });
    const wrong: Array<[string, unknown]> = [
      ['number', '12'],
      ['boolean', 'true'],
      ['text', 12],
      ['date', 20240101],
      ['list', 'a, b'],
      ['experiences', ['engineer']],
      ['educations', {}],
      ['object', []],
    ];
    for (const [kind, value] of wrong) expect(paths(typed(kind, value))).toEqual(['rows[0].a']);
    const right: Array<[string, unknown]> = [
      ['number', 12],
      ['boolean', false],
      ['domain', 'not a domain'],
      ['list', [1, 'a', null]],
      ['experiences', [{ title: 'CEO' }]],
      ['object', {}],
    ];
    for (const [kind, value] of right)
      expect(parseImportRequest(typed(kind, value)).columns[0]!.kind).toBe(kind);
  });

  it('accepts a complete qualification or none', () => {
    const qualified = (qualification: unknown) => body({ columns: [{ key: 'a', name: 'A', qualification }] });
    const rule = { criterion: 'Has 50 to 200 staff', effect: 'require' };
    expect(parseImportRequest(qualified(rule)).columns[0]!.qualification).toEqual(rule);
    expect(parseImportRequest(qualified({})).columns[0]!.qualification).toEqual({});
    expect(parseImportRequest(qualified(undefined)).columns[0]!.qualification).toEqual({});
    expect(paths(qualified({ effect: 'must' }))).toEqual([
      'columns[0].qualification.criterion',
      'columns[0].qualification.effect',
    ]);
    expect(paths(qualified('require'))).toEqual(['columns[0].qualification']);
  });

  it('returns an import or validation errors for every JSON value, and never throws anything else', () => {
    const anyBody = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          name: fc.oneof(fc.string(), fc.jsonValue()),
          columns: fc.oneof(
            fc.array(
              fc.record(
                { key: fc.jsonValue(), name: fc.jsonValue(), kind: fc.jsonValue() },
                { requiredKeys: [] },
              ),
            ),
            fc.jsonValue(),
          ),
          rows: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(anyBody, (value) => {
        try {
          parseImportRequest(JSON.stringify(value));
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request', details: expect.any(Array) });
        }
      }),
      { numRuns: 500 },
    );
  });
});
