import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import {
  CreateRunRequest,
  CreateWorkspaceRequest,
  ExclusionItemsRequest,
  ExclusionSyncRequest,
  pathText,
  RunListQuery,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import fc from 'fast-check';
import { ServiceListQuery } from '../http/requests/service-list.query.js';
import { parseQuery } from './query-text.js';
import { bodyOf, queryOf } from './request.pipe.js';

function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
const readRun = (body: Record<string, unknown>) => bodyOf(CreateRunRequest).transform(body, { type: 'body' });
const readQuery = (text: string) => queryOf(RunListQuery).transform(text, { type: 'query' });

describe('validating a request', () => {
  it('writes paths as the contract does', () => {
    expect(pathText(['columns', 0, 'key'])).toBe('columns[0].key');
    expect(pathText([])).toBe('');
  });

  it('answers any body with the value or with a refusal that has details, never with another error', () => {
    const read = (body: unknown) => [
      outcome(() => readRun(body as Record<string, unknown>)),
      outcome(() =>
        bodyOf(ExclusionItemsRequest).transform(body as Record<string, unknown>, { type: 'body' }),
      ),
    ];
    const key = fc.constantFrom(
      'prompt',
      'output',
      'items',
      'domain',
      'constructor',
      'toString',
      'valueOf',
      'x',
    );
    const body = fc.letrec((tie) => ({
      object: fc.dictionary(key, tie('value'), { noNullPrototype: true }),
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 0, '', 'a', true),
        tie('object'),
        fc.array(tie('value')),
      ),
    })).object;
    fc.assert(
      fc.property(body, (sent) => {
        for (const result of read(sent)) {
          if (result instanceof Error) {
            expect(result).toBeInstanceOf(AppError);
            expect((result as AppError).details?.length).toBeGreaterThan(0);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('names a field in its message and its path', () => {
    const error = outcome(() => readRun({ prompt: '', zzz: 1 })) as AppError;
    expect(error.details).toEqual([
      { path: '', message: 'Unrecognized key: "zzz"' },
      { path: 'prompt', message: 'prompt should not be empty' },
    ]);
    expect(error.message).toBe('Unrecognized key: "zzz"; prompt should not be empty');
  });

  const body = (type: new () => object, of: (text: string) => Record<string, unknown>) => (text: string) =>
    bodyOf(type).transform(of(text), { type: 'body' });

  it.each([
    ['prompt', 20_000, body(CreateRunRequest, (prompt) => ({ prompt }))],
    ['name', 200, body(CreateWorkspaceRequest, (name) => ({ name }))],
    ['source', 200, body(ExclusionSyncRequest, (source) => ({ source, items: [] }))],
    ['items[0].domain', 2000, body(ExclusionItemsRequest, (domain) => ({ items: [{ domain }] }))],
    [
      'items[0].linkedin_url',
      2000,
      body(ExclusionItemsRequest, (url) => ({ items: [{ linkedin_url: url }] })),
    ],
    ['q', 200, (text: string) => queryOf(ServiceListQuery).transform(`q=${text}`, { type: 'query' })],
  ])('takes for %s %d characters and not one more, nor none', (path, most, read) => {
    expect(outcome(() => read('a'.repeat(most)))).not.toBeInstanceOf(Error);
    for (const text of ['a'.repeat(most + 1), ''])
      expect(outcome(() => read(text))).toMatchObject({ details: [{ path }] });
  });

  it.each([
    ['POST and DELETE', 1, 1000, ExclusionItemsRequest, {}],
    ['PUT', 0, 100_000, ExclusionSyncRequest, { source: 'crm' }],
  ])(
    'takes for the items of a %s of exclusions %d to %d entries, no less and no more',
    (_, least, most, type, more) => {
      const read = (count: number) =>
        outcome(() =>
          bodyOf<object>(type).transform(
            { ...more, items: Array.from({ length: count }, () => ({ domain: 'a.example' })) },
            { type: 'body' },
          ),
        );
      for (const count of [least, most]) expect(read(count)).not.toBeInstanceOf(Error);
      for (const count of [least - 1, most + 1].filter((each) => each >= 0))
        expect(read(count)).toMatchObject({ details: [{ path: 'items' }] });
    },
  );

  it('takes whole numbers in plain digits only', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)), (text) => {
        const result = outcome(() => readQuery(`limit=${encodeURIComponent(text)}`));
        const isPlain = /^\d{1,16}$/.test(text) && Number(text) >= 1 && Number(text) <= 1000;
        expect(result instanceof AppError).toBe(!isPlain);
      }),
    );
  });

  it('reads back every parameter that was encoded', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), (sent) => {
        const text = Object.entries(sent)
          .map((pair) => pair.map(encodeURIComponent).join('='))
          .join('&');
        const { values, faults } = parseQuery(text);
        const hasNul = Object.values(sent).some((value) => value.includes('\0'));
        if (!hasNul) expect([{ ...values }, faults]).toEqual([{ ...sent }, []]);
      }),
    );
  });
});
