import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { CreateRunRequest, ExclusionItemsRequest, pathText, RunListQuery } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import fc from 'fast-check';
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
      { numRuns: 2_000 },
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
