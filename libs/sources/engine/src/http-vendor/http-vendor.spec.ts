import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProviderSimulator } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { ProviderFailure } from '../ports/lookup.port.js';
import { jsonOf } from './vendor.client.js';
import { HttpVendorProvider } from './http-vendor.provider.js';
import { retryAfterOf } from '@quarry/resilience';

/** A host name that is too long to exist: the resolver fails by itself, and no query leaves this machine. */
const UNKNOWN_HOST = `http://${['a', 'b', 'c', 'd'].map((letter) => letter.repeat(63)).join('.')}`;

let vendor: ProviderSimulator;
let provider: HttpVendorProvider;
let lines = 0;

beforeAll(async () => {
  vendor = await ProviderSimulator.start();
  provider = at(vendor.url);
});
afterAll(() => vendor.stop());

function at(baseUrl: string, key = vendor.key): HttpVendorProvider {
  return new HttpVendorProvider({ id: 'acme-data', baseUrl, key, services: ['getEmail'] });
}

function ask(
  word: string,
  options: { signal?: AbortSignal; by?: HttpVendorProvider; service?: string } = {},
) {
  return (options.by ?? provider).answerCall({
    service: options.service ?? 'getEmail',
    input: { first_name: 'Ada', last_name: 'Doe', domain: `${word}.vendor.test` },
    searchId: `svcjob_${++lines}`,
    signal: options.signal ?? new AbortController().signal,
  });
}

async function failureOf(answer: Promise<unknown>): Promise<ProviderFailure> {
  const error: unknown = await answer.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderFailure);
  return error as ProviderFailure;
}

describe('a custom vendor over HTTP', () => {
  it('receives the key and the line, and its answer is attributed to it', async () => {
    expect(await ask('ok')).toEqual({
      found: true,
      deep: false,
      provider: 'acme-data',
      output: {
        found: true,
        email: 'ada.doe@ok.vendor.test',
        status: 'verified',
        confidence: 'high',
        provider: 'acme-data',
      },
    });
    expect(vendor.calls.at(-1)).toMatchObject({ service: 'getEmail', searchId: `svcjob_${lines}` });
  });

  it('may find nothing, with or without its Deep agent', async () => {
    expect(await ask('miss')).toMatchObject({ found: false, deep: false, output: { found: false } });
    expect(await ask('deep-miss')).toMatchObject({ found: false, deep: true });
    expect((await failureOf(ask('deep-fail'))).options.deepFinished).toBe(true);
  });

  it.each([
    ['status-400', 'provider_rejected', false],
    ['status-422', 'provider_rejected', false],
    ['status-401', 'provider_unavailable', false],
    ['status-402', 'provider_unavailable', false],
    ['status-404', 'provider_unavailable', false],
    ['status-409', 'provider_error', false],
    ['status-500', 'provider_error', true],
    ['status-503', 'provider_error', true],
    ['busy-3s', 'capacity', true],
    ['moved', 'provider_error', false],
    ['reset', 'provider_unavailable', true],
    ['drop', 'provider_unavailable', true],
    ['cut', 'provider_unavailable', true],
    ['garbage', 'invalid_output', false],
    ['binary', 'invalid_output', false],
    ['no-http', 'invalid_output', false],
    ['schema', 'invalid_output', false],
    ['hollow', 'invalid_output', false],
    ['nested', 'invalid_output', false],
    ['large-50m', 'invalid_output', false],
    ['bomb', 'invalid_output', false],
    ['bad-gzip', 'invalid_output', false],
  ])('that answers %s fails as %s, retryable: %p', async (word, code, isTransient) => {
    const { code: got, message, options } = await failureOf(ask(word));
    expect([got, options.isTransient ?? false]).toEqual([code, isTransient]);
    expect(message).not.toMatch(/secret|127\.0\.0\.1|vendor|http/i);
  });

  it.each([
    ['status-401', 'key'],
    ['status-402', 'credits'],
    ['status-403', undefined],
  ])('that answers %s needs the operator for: %s', async (word, task) =>
    expect((await failureOf(ask(word))).options.needsOperator).toBe(task),
  );

  it('with an endlessly nested answer is refused by direct services too, whose data may have any shape', async () => {
    const failure = await failureOf(ask('nested', { service: 'extractData' }));
    expect([failure.code, failure.options.isTransient ?? false]).toEqual(['invalid_output', false]);
  });

  it.each([
    ['{"a":[1,{"b":"[[[[\\"{{{{"}]}', true],
    [`${'['.repeat(100)}${']'.repeat(100)}`, true],
    [`${'['.repeat(101)}${']'.repeat(101)}`, false],
    [`"${'['.repeat(1_000)}"`, true],
  ])('is read up to 100 levels, not counting braces in strings: %#', (text, isRead) => {
    const read = () => jsonOf({ bytes: Buffer.from(text) });
    if (isRead) expect(read()).toEqual(JSON.parse(text));
    else expect(read).toThrow();
  });

  it('is trusted when it says how long to wait', async () => {
    expect((await failureOf(ask('busy-3s'))).options.retryAfterMs).toBe(3000);
  });

  it('that is down, or has no address, counts as unavailable', async () => {
    const gone = await ProviderSimulator.start();
    const { url } = gone;
    await gone.stop();
    for (const baseUrl of [url, UNKNOWN_HOST])
      expect(await failureOf(ask('ok', { by: at(baseUrl) }))).toMatchObject({ code: 'provider_unavailable' });
    expect(await failureOf(ask('ok', { by: at(vendor.url, 'other') }))).toMatchObject({
      code: 'provider_unavailable',
    });
  });

  it('that is too slow has its connection closed, and the caller gets its own reason', async () => {
    const abort = new AbortController();
    const answer = ask('hang', { signal: abort.signal });
    await waitFor('the call to arrive', () => Promise.resolve(vendor.callsOf('hang').length === 1));
    abort.abort(new Error('too late'));
    await expect(answer).rejects.toThrow('too late');
    await waitFor('the vendor to see it', () =>
      Promise.resolve(vendor.callsOf('hang')[0]?.outcome === 'left'),
    );
  });

  it('that sends endlessly is cut off after the first megabytes', async () => {
    await failureOf(ask('large-500m'));
    await waitFor('the vendor to see it', () =>
      Promise.resolve(vendor.callsOf('large-500m')[0]?.outcome === 'left'),
    );
  });
});

describe('Retry-After', () => {
  it.each([
    ['3', 3000],
    [' 0 ', 0],
    ['Thu, 01 Jan 1970 00:01:10 GMT', 60_000],
    ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    [null, undefined],
  ])('of %p means %p milliseconds', (header, ms) => expect(retryAfterOf(header, 10_000)).toBe(ms));
});
