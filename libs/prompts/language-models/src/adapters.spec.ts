import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL_TOKENS, ModelServer, type ModelScript } from '@quarry/test-servers';
import { LanguageModelError, type ModelAnswer, type ModelAsk } from './language-model.port.js';
import { PolicedLanguageModel } from './policed-language.model.js';
import { SdkAdapter } from './adapters/sdk.adapter.js';

const SCHEMA = {
  name: 'town',
  schema: {
    type: 'object',
    properties: { town: { type: 'string' }, seats: { type: 'integer' } },
    required: ['town'],
    additionalProperties: false,
  },
};
const TOOL = {
  name: 'search',
  description: 'Searches the web.',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};
const FAR = 60_000;

describe.each(['openai', 'anthropic'] as const)('a model behind the adapter of %s', (adapter) => {
  let server: ModelServer;
  let model: PolicedLanguageModel;
  let waits: number[];

  beforeAll(async () => (server = await ModelServer.start(adapter)));
  afterAll(() => server.stop());
  beforeEach(() => {
    waits = [];
    model = policed({ url: server.url, key: server.key });
  });

  function policed({ url, key }: { url: string; key: string | null }): PolicedLanguageModel {
    const clock = { now: () => performance.now(), wait: async (ms: number) => void waits.push(ms) };
    const sdk = new SdkAdapter({ adapter, url, key, name: 'claude-3-5-haiku-latest' });
    return new PolicedLanguageModel('claude-3-5-haiku-latest', sdk, { clock, random: () => 0.5 });
  }

  function ask(change: Partial<ModelAsk> = {}): ModelAsk {
    return {
      messages: [
        { role: 'system', text: 'You name towns.' },
        { role: 'user', text: 'Which town?' },
      ],
      budget: { maxOutputTokens: 500, deadlineMs: Date.now() + FAR },
      signal: new AbortController().signal,
      ...change,
    };
  }

  async function failure(request: ModelAsk): Promise<LanguageModelError> {
    const error = await model.completePrompt(request).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LanguageModelError);
    const { message, stack } = error as LanguageModelError;
    for (const secret of [server.key, server.url, 'upstream detail'])
      expect(`${message} ${stack} ${JSON.stringify(error)}`).not.toContain(secret);
    return error as LanguageModelError;
  }

  it('returns text, its tokens and their cost', async () => {
    server.play(() => ({ text: 'Berlin' }));
    expect(await model.completePrompt(ask())).toEqual({
      text: 'Berlin',
      object: null,
      toolCalls: [],
      finish: 'stop',
      usage: { inputTokens: MODEL_TOKENS.input, outputTokens: MODEL_TOKENS.output, costMicroUsd: 216 },
    });
    const [request] = server.requests;
    expect(request).toMatchObject({ hasKey: true, leaksKey: false });
    expect(request?.body).toMatchObject({ max_tokens: 500, temperature: 0 });
    expect(request?.promptText).toContain('You name towns.\nWhich town?');
    expect(model.readMetrics()).toMatchObject({
      inputTokens: 120,
      outputTokens: 30,
      costMicroUsd: 216,
      open: 0,
    });
  });

  it('returns the object of the requested schema, also from a code fence', async () => {
    server.play(
      () => ({ object: { town: 'Berlin' } }),
      () => ({ text: 'Here it is:\n```json\n{"town":"Oslo","seats":4}\n```' }),
    );
    expect((await model.completePrompt(ask({ schema: SCHEMA }))).object).toEqual({ town: 'Berlin' });
    expect((await model.completePrompt(ask({ schema: SCHEMA }))).object).toEqual({ town: 'Oslo', seats: 4 });
    expect(JSON.stringify(server.requests[0]?.body)).toContain('"seats"');
  });

  it.each<[string, ModelScript]>([
    ['no JSON', () => ({ text: 'It is {Berlin' })],
    ['a wrong type', () => ({ object: { town: 7 } })],
    ['an extra field', () => ({ object: { town: 'Berlin', mood: 'good' } })],
    ['a truncated answer', () => ({ text: '{"town":"Ber', isCutShort: true })],
  ])('refuses %s as invalid_output, with its text and usage, and is called once', async (_, turn) => {
    server.play(turn);
    const { failure: code, text, usage } = await failure(ask({ schema: SCHEMA }));
    expect(code).toBe('invalid_output');
    expect(text).toContain(_ === 'a wrong type' ? '7' : 'Ber');
    expect(usage?.outputTokens).toBe(30);
    expect(server.requests).toHaveLength(1);
  });

  it('calls tools and receives their results', async () => {
    server.play(
      () => ({ tools: [{ name: 'search', input: { query: 'towns' } }] }),
      () => ({ text: 'Oslo' }),
    );
    const first: ModelAnswer = await model.completePrompt(ask({ tools: [TOOL] }));
    expect(first).toMatchObject({
      finish: 'tools',
      object: null,
      toolCalls: [{ name: 'search', input: { query: 'towns' } }],
    });
    const [call] = first.toolCalls;
    const messages = [
      ...ask().messages,
      { role: 'assistant' as const, text: first.text, toolCalls: first.toolCalls },
      { role: 'tool' as const, toolCallId: call!.id, name: 'search', text: 'Oslo is a town.' },
    ];
    expect((await model.completePrompt(ask({ messages, tools: [TOOL] }))).text).toBe('Oslo');
    expect(server.requests[1]?.promptText).toContain('Oslo is a town.');
    expect(JSON.stringify(server.requests[1]?.body)).toContain(call!.id);
  });

  it.each<[string, string[]]>([
    ['a tool call without a result', ['user']],
    ['a message before a tool result', ['a', 'user', 'b']],
    ['a message before all tool results', ['user', 'a', 'b']],
    ['one of two tool results', ['a', 'user']],
  ])('refuses a conversation with %s, as its vendor does', async (_, behind) => {
    server.play(() => ({ text: 'Oslo' }));
    const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'search', input: { query: id } }));
    const messages: ModelAsk['messages'] = [
      ...ask().messages,
      { role: 'assistant', text: '', toolCalls },
      ...behind.map((id) =>
        id === 'user'
          ? { role: 'user' as const, text: 'Well?' }
          : { role: 'tool' as const, toolCallId: id, name: 'search', text: 'Oslo' },
      ),
    ];
    expect((await failure(ask({ messages, tools: [TOOL] }))).failure).toBe('rejected');
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, ModelScript, number]>([
    ['429 with Retry-After', () => ({ status: 429, headers: { 'retry-after': '3' } }), 3000],
    ['429 without', () => ({ status: 429 }), 250],
    ['500', () => ({ status: 500 }), 250],
    ['a cut connection', () => ({ fails: 'cut' }), 250],
  ])('is retried after %s', async (_, turn, waitMs) => {
    server.play(turn, () => ({ text: 'Berlin' }));
    expect((await model.completePrompt(ask())).text).toBe('Berlin');
    expect(waits).toEqual([waitMs]);
    expect(model.readMetrics()).toMatchObject({ retries: 1, asks: new Map([['answered', 1]]) });
  });

  it.each<[string, ModelScript, string, number]>([
    ['an invalid key', () => ({ status: 401 }), 'rejected', 1],
    ['a redirect', () => ({ status: 307, headers: { location: 'http://127.0.0.1:9/' } }), 'rejected', 1],
    [
      'a Retry-After beyond the deadline',
      () => ({ status: 429, headers: { 'retry-after': '999' } }),
      'rate_limited',
      1,
    ],
    ['lasting 500s', () => ({ status: 500 }), 'unavailable', 4],
    ['a response that is not JSON', () => ({ raw: '<html>' }), 'invalid_output', 1],
    ['a response of another protocol', () => ({ raw: '{"hello":1}' }), 'invalid_output', 1],
    ['an endlessly nested response', () => ({ raw: '['.repeat(500_000) }), 'invalid_output', 1],
    ['a giant response', () => ({ bytes: 5 * 1024 * 1024 }), 'invalid_output', 1],
  ])('fails for %s with %j', async (_, turn, code, requests) => {
    server.play(turn);
    expect((await failure(ask())).failure).toBe(code);
    expect(server.requests).toHaveLength(requests);
  });

  it('times out at the deadline, and is aborted if the caller leaves', async () => {
    server.play(() => ({ fails: 'hang' }));
    // Enough time for the first request to reach the server, even on a busy machine.
    const budget = { maxOutputTokens: 10, deadlineMs: Date.now() + 2_000 };
    expect((await failure(ask({ budget }))).failure).toBe('timeout');
    expect((await failure(ask({ budget }))).failure).toBe('timeout');
    expect(server.requests).toHaveLength(1);
    const leaving = new AbortController();
    const reason = new Error('Nobody waits.');
    server.play(() => {
      leaving.abort(reason);
      return { fails: 'hang' };
    });
    await expect(model.completePrompt(ask({ signal: leaving.signal }))).rejects.toBe(reason);
    await expect(model.completePrompt(ask({ signal: leaving.signal }))).rejects.toBe(reason);
    expect(model.readMetrics().asks.get('abandoned')).toBe(1);
  });

  it('is not called for a while after too many failures', async () => {
    server.play(() => ({ status: 503 }));
    await failure(ask());
    await failure(ask());
    const before = server.requests.length;
    const { message } = await failure(ask());
    expect(message).toContain('fails too often');
    expect(server.requests).toHaveLength(before);
    expect(model.readMetrics().isBreakerOpen).toBe(true);
  });

  it('needs no key if the server requires none', async () => {
    server.play(() => ({ text: 'Berlin' }));
    model = policed({ url: `${server.url}/`, key: null });
    expect((await model.completePrompt(ask())).text).toBe('Berlin');
    expect(server.requests[0]).toMatchObject({ hasKey: false, leaksKey: false });
  });
});
