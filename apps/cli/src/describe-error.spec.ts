import { ApiError, ConnectionError } from '@quarry/sdk';
import { describe, expect, it } from '@jest/globals';
import { describeError } from './describe-error.js';

const refused = (code: string, status: number, message: string): ApiError =>
  new ApiError(message, status, code, [{ path: 'prompt', message: 'too long' }], 'req-1', null);

describe('the error output of a command', () => {
  it('contains the message, missing details, and the request id for the operator', () => {
    expect(describeError(refused('invalid_request', 400, 'prompt is refused'), false)).toBe(
      'quarry: prompt is refused\n  prompt: too long\n  request req-1\n',
    );
  });

  it('for a refused key says how to get another, not which header to send', () => {
    const text = describeError(refused('not_authenticated', 401, 'send the header "Authorization"'), false);
    expect(text).toMatch(/key is unknown or was revoked[\s\S]*quarry login/);
    expect(text).not.toContain('header');
  });

  it('for an unreachable server names its address, and what to check', () => {
    const system = new Error('connect ECONNREFUSED 127.0.0.1:3000');
    const error = new ConnectionError('The connection broke.', {
      cause: new TypeError('fetch failed', { cause: system }),
    });
    expect(describeError(error, false)).toMatch(/ECONNREFUSED 127\.0\.0\.1:3000\n.*QUARRY_URL/);
    expect(JSON.parse(describeError(error, true))).toMatchObject({
      error: { message: 'The connection broke. connect ECONNREFUSED 127.0.0.1:3000' },
    });
  });

  it('as JSON is the response of the API', () => {
    expect(
      JSON.parse(describeError(refused('not_authenticated', 401, 'A key is needed'), true)),
    ).toMatchObject({
      error: { code: 'not_authenticated', message: 'A key is needed', request_id: 'req-1' },
    });
  });
});
