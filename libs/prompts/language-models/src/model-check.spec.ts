import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { LanguageModelError } from './language-model.port.js';
import { CHECK_MS, ModelCheck } from './model-check.js';

afterEach(() => {
  jest.useRealTimers();
});

function checkOf(reach: ((signal: AbortSignal) => Promise<void>) | null) {
  const lines: Array<{ level: string; facts: object; message: string }> = [];
  const line = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, facts, message });
  const model = reach && { modelName: 'spec-model', reach };
  return { lines, check: new ModelCheck({ model, log: { info: line('info'), warn: line('warn') } }) };
}

const never = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('a configured model', () => {
  it('is called once at the start, and one line logs its name and duration', async () => {
    let requests = 0;
    const { lines, check } = checkOf(async () => void (requests += 1));
    check.onApplicationBootstrap();
    await new Promise(setImmediate);
    expect(requests).toBe(1);
    const facts = { model: 'spec-model', ms: expect.any(Number) };
    expect(lines).toEqual([{ level: 'info', facts, message: 'the language model answers' }]);
  });

  it('that refuses is logged with the reason, and the start continues', async () => {
    const { lines, check } = checkOf(() =>
      Promise.reject(new LanguageModelError('rejected', 'The language model refuses the request.')),
    );
    check.onApplicationBootstrap();
    await new Promise(setImmediate);
    expect(lines).toMatchObject([
      { level: 'warn', facts: { model: 'spec-model', why: 'The language model refuses the request.' } },
    ]);
  });

  it('that never answers times out, and does not delay a process that stops', async () => {
    const late = checkOf(never);
    const clock = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      expect(ms).toBe(CHECK_MS);
      return AbortSignal.abort(new Error('late'));
    });
    const rejected = checkOf((signal) => Promise.reject(signal.reason as Error));
    await rejected.check.checkModel();
    clock.mockRestore();
    expect(rejected.lines).toMatchObject([{ level: 'warn', facts: { why: 'It did not answer in time.' } }]);
    const checked = late.check.checkModel();
    late.check.beforeApplicationShutdown();
    await checked;
    expect(late.lines).toEqual([]);
  });

  it('is not called if there is none', async () => {
    const { lines, check } = checkOf(null);
    await check.checkModel();
    expect(lines).toEqual([]);
  });
});
