import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';

describe('the log of a process', () => {
  const lines: string[] = [];
  const logger = createLogger('spec', 'info', { write: (line) => void lines.push(line) });
  const logged = (fields: object): Record<string, unknown> => {
    lines.length = 0;
    logger.info(fields, 'said');
    return JSON.parse(lines[0]!) as Record<string, unknown>;
  };

  it('omits fields with personal data or credentials, at any depth', () => {
    const secret = 'ada@a.test';
    const fields = {
      jobId: 'svcjob_1',
      Authorization: secret,
      line: {
        service: 'getEmail',
        input: { domain: secret },
        ends: [{ ok: true, result: { email: secret } }],
      },
      call: { request: { headers: { authorization: secret } }, tries: [[{ password: secret }]] },
    };
    const shown = logged(fields);
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(shown).toMatchObject({
      app: 'spec',
      jobId: 'svcjob_1',
      line: { service: 'getEmail', ends: [{ ok: true }] },
      msg: 'said',
    });
    // Logging does not modify the caller's object.
    expect(fields.line.input).toEqual({ domain: secret });
  });

  it('handles circular objects, and omits what drivers attach to errors', () => {
    const around: Record<string, unknown> = { n: 1 };
    around.around = around;
    expect(JSON.stringify(logged({ around }))).toContain('[Redacted]');
    const err = Object.assign(new Error('refused'), { code: '23505', client: { password: 'x' } });
    expect(logged({ err }).err).toEqual({
      type: 'Error',
      message: 'refused',
      code: '23505',
      stack: expect.any(String),
    });
  });
});
