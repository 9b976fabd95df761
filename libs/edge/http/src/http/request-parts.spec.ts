import type { IncomingMessage } from 'node:http';
import { HttpException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { AppError, ERROR_CODES, type ErrorCode } from '@quarry/error-codes';
import fc from 'fast-check';
import { appScopeOf, routedUrl } from './app-path.js';
import { byteRangeOf, isTagKnown } from './byte-range.js';
import { errorAnswer, methodNotAllowed } from './error-answer.js';
import { repairedUrl } from './repaired-url.js';
import { idempotencyKeyOf, isFreshWanted } from './request-headers.js';
import { requestIdOf } from './request-id.js';
import { RouteTable } from './route-table.js';

const bodyOf = (error: unknown) => {
  const { status, body } = errorAnswer(error);
  const parsed = JSON.parse(body) as { error: { code: string; message: string } };
  return [status, parsed.error.code, parsed.error.message] as const;
};
const UNEXPECTED = [500, 'internal_error', 'An unexpected error happened. Try again later.'] as const;
const NOT_FOUND = [404, 'not_found', 'Nothing was found at this address.'] as const;
const INVALID = ['invalid_request', 'The request is not valid.'] as const;

describe('an error response', () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])(
    '%s has its own status, and the message written for the client',
    (code) => {
      const error = new AppError(code, 'It is so.', {
        cause: new Error('SELECT 1'),
        facts: { path: '/srv' },
      });
      expect(bodyOf(error)).toEqual([ERROR_CODES[code].status, code, 'It is so.']);
      expect(errorAnswer(error).body).not.toMatch(/SELECT|srv/);
    },
  );

  it.each<[string, unknown, readonly [status: number, code: string, message: string]]>([
    ['unexpected error', new Error('relation "runs" does not exist'), UNEXPECTED],
    ['nothing', undefined, UNEXPECTED],
    ['null', null, UNEXPECTED],
    ['a text', 'secret', UNEXPECTED],
    ['the status of a foreign error', Object.assign(new Error('secret'), { statusCode: 404 }), UNEXPECTED],
    ['a status that is not a number', { statusCode: '404', code: 'FST_X' }, UNEXPECTED],
    ['a framework error', { statusCode: 503, code: 'FST_X', message: 'secret' }, UNEXPECTED],
    ['a missing route in the framework', { statusCode: 404, code: 'FST_X' }, NOT_FOUND],
    ['a missing route in Nest', new HttpException('secret', 404), NOT_FOUND],
    ['a Nest rejection', new HttpException('secret', 418), [418, ...INVALID]],
    ['a framework rejection', { statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' }, [413, ...INVALID]],
    [
      'a malformed URL',
      { statusCode: 400, code: 'FST_ERR_BAD_URL' },
      [400, 'invalid_request', 'The address is not percent-encoded correctly.'],
    ],
  ])('reveals nothing that was not meant for the client: %s', (_, error, answer) => {
    expect(bodyOf(error)).toEqual(answer);
  });

  it("has the error's headers and details, and no details if there are none", () => {
    expect(errorAnswer(methodNotAllowed(['GET', 'POST'])).headers).toEqual({ Allow: 'GET, POST' });
    const details = [{ path: 'a', message: 'a is required' }];
    expect(JSON.parse(errorAnswer(new AppError('invalid_request', 'x', { details })).body)).toEqual({
      error: { code: 'invalid_request', message: 'x', details },
    });
    expect(JSON.parse(errorAnswer(new AppError('invalid_request', 'x', { details: [] })).body)).toEqual({
      error: { code: 'invalid_request', message: 'x' },
    });
  });
});

describe('a byte range', () => {
  it.each<[string | undefined, number, ReturnType<typeof byteRangeOf>]>([
    [undefined, 10, null],
    ['bytes=0-0', 10, { from: 0, to: 0 }],
    ['bytes=0-', 10, { from: 0, to: 9 }],
    ['bytes=9-', 10, { from: 9, to: 9 }],
    ['bytes=2-99', 10, { from: 2, to: 9 }],
    ['bytes=-3', 10, { from: 7, to: 9 }],
    ['bytes=-99', 10, { from: 0, to: 9 }],
    [' bytes=1-2 ', 10, { from: 1, to: 2 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=10-20', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-1', 0, 'unsatisfiable'],
    // The whole file: for an invalid range, several ranges, other units, and a range that ends before it starts.
    ['bytes=-', 10, null],
    ['bytes=5-2', 10, null],
    ['bytes=0-1,3-4', 10, null],
    ['rows=0-1', 10, null],
    ['bytes=a-b', 10, null],
    ['bytes=1.5-2', 10, null],
    ['bytes= 0-1', 10, null],
    [`bytes=${'9'.repeat(16)}-`, 10, null],
  ])('%s of %d is read as the standard defines', (header, size, range) => {
    expect(byteRangeOf(header, size)).toEqual(range);
  });

  it('never exceeds the file', () => {
    const end = fc.oneof(fc.constant(''), fc.nat(40).map(String));
    fc.assert(
      fc.property(end, end, fc.nat(30), (first, last, size) => {
        const range = byteRangeOf(`bytes=${first}-${last}`, size);
        if (range === null || range === 'unsatisfiable') return;
        expect(range.from >= 0 && range.from <= range.to && range.to < size).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string | undefined, boolean]>([
    [undefined, false],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['', false],
  ])('is not sent to a client that has the file: If-None-Match %s, %s', (header, isKnown) => {
    expect(isTagKnown(header, '"a"')).toBe(isKnown);
  });
});

describe('a request URL', () => {
  it.each([
    ['/v1/runs', '/v1/runs'],
    ['/v1/runs/%C3%A9?q=%ff', '/v1/runs/%C3%A9?q=%ff'],
    ['/v1/runs/%ff', '/v1/runs/%EF%BF%BD'],
    ['/v1/runs/%C3%A9%ff%2f', '/v1/runs/%C3%A9%EF%BF%BD%2F'],
    ['/a%ff?x=%ff', '/a%EF%BF%BD?x=%ff'],
    // Malformed encoding is left unchanged and refused later.
    ['/a%ff%zz', '/a%ff%zz'],
    ['/a%', '/a%'],
  ])('that is not UTF-8 still reaches its route: %s', (url, repaired) => {
    expect(repairedUrl(url)).toBe(repaired);
  });

  it.each([
    ['/app/api/test/v1/runs?q=%61', '/v1/runs?q=%61', 'test'],
    ['/%61pp/api/%74est/v1/runs', '/v1/runs', 'test'],
    ['/app/api/l%69ve/approvals', '/app/api/live/approvals', 'live'],
    ['/app/api/%54est/v1/runs', '/app/api/Test/v1/runs', 'own'],
    ['/v1/tables/%2561%2F%5B%c3%a9', '/v1/tables/%2561%2F%5B%c3%a9', undefined],
  ])('has the mode of its route: %s', (url, routed, scope) => {
    const request = {} as IncomingMessage;
    expect([routedUrl(request, url), appScopeOf(request)]).toEqual([routed, scope]);
  });

  it('can be decoded after repair unless its encoding is broken, and is unchanged if it was valid', () => {
    const part = fc.oneof(
      fc.constantFrom('/', 'a', '%', '%2', '?', '%25'),
      fc.integer({ min: 0, max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, '0')}`),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const url = `/${parts.join('')}`;
        const repaired = repairedUrl(url);
        const [path, ...query] = url.split('?') as [string, ...string[]];
        expect(repaired.split('?').slice(1)).toEqual(query);
        if (/%(?![0-9a-f]{2})/i.test(path)) expect(repaired).toBe(url);
        else
          expect(decodeURIComponent(repaired.split('?')[0]!)).toBe(
            Buffer.from(
              path.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
              'latin1',
            ).toString(),
          );
      }),
      { numRuns: 500 },
    );
  });

  it('has the methods of its matching routes, and none with an empty, missing or extra segment', () => {
    const routes = new RouteTable();
    routes.addRoute('GET', '/v1/runs');
    routes.addRoute(['POST', 'HEAD'], '/v1/runs');
    routes.addRoute('GET', '/v1/runs/:id');
    routes.addRoute('DELETE', '/v1/runs/:id');
    routes.addRoute('PUT', '/v1/runs/active');
    expect(routes.methodsAt('/v1/runs?x=/y')).toEqual(['GET', 'HEAD', 'POST']);
    expect(routes.methodsAt('/v1/runs/run_1')).toEqual(['DELETE', 'GET']);
    expect(routes.methodsAt('/v1/runs/active')).toEqual(['DELETE', 'GET', 'PUT']);
    for (const url of ['/v1/runs/', '/v1/runs/a/b', '/v1', '//v1/runs', '/V1/runs', ''])
      expect(routes.methodsAt(url)).toEqual([]);
  });
});

describe('request headers', () => {
  it.each(['a', '!~', 'x'.repeat(255), 'a,b'])(
    'accept an Idempotency-Key of visible characters: %s',
    (key) => {
      expect(idempotencyKeyOf(key)).toBe(key);
    },
  );

  it.each([[''], ['a b'], ['x'.repeat(256)], ['é'], ['a\tb'], ['a, b'], [['a', 'b']]])(
    'refuse %j as an Idempotency-Key',
    (key) => {
      expect(() => idempotencyKeyOf(key)).toThrow(AppError);
    },
  );

  it('request a fresh search only by the word "true"', () => {
    expect([idempotencyKeyOf(undefined), isFreshWanted(undefined), isFreshWanted('true')]).toEqual([
      null,
      false,
      true,
    ]);
    for (const word of ['', 'TRUE', '1', 'false', 'true, true', ['true']])
      expect(() => isFreshWanted(word)).toThrow(AppError);
  });

  it('keep a request id that is safe for logs, and otherwise get a new one each time', () => {
    const of = (id?: string | string[]) => requestIdOf({ headers: { 'x-request-id': id as string } });
    for (const id of ['a', 'A-1._b', 'x'.repeat(64)]) expect(of(id)).toBe(id);
    const made = [undefined, '', 'x'.repeat(65), 'a b', 'a\nb', '<b>', ['a', 'b'], 'é'].map(of);
    expect(new Set(made).size).toBe(made.length);
    for (const id of made) expect(id).toMatch(/^req-[A-Za-z0-9]{10}-[0-9a-z]+$/);
  });
});
