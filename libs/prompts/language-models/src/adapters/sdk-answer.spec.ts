import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
  type LanguageModelV4GenerateResult,
} from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { OutboundError, type OutboundFault } from '@quarry/safe-http';
import type { ModelAsk } from '../language-model.port.js';
import { answerOf } from './sdk-answer.js';
import { sdkOptions } from './sdk-prompt.js';
import { failureOf } from './adapter-failure.js';
import { ModelAdapterFailure } from './adapter.port.js';

const SCHEMA = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};
const ask = (more: Partial<ModelAsk> = {}): ModelAsk => ({
  messages: [],
  budget: { maxOutputTokens: 10, deadlineMs: 0 },
  signal: new AbortController().signal,
  ...more,
});
const WITH_SCHEMA = ask({ schema: { name: 'x', schema: SCHEMA } });

type Part =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: string };
const messageOf = (...content: Array<Part | string>) => ({
  content: content.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  unified: 'stop',
  inputTokens: { total: 7 } as { total: number | undefined },
});
const result = ({ content, unified, inputTokens }: ReturnType<typeof messageOf>) =>
  ({
    content,
    finishReason: { unified, raw: undefined },
    usage: { inputTokens, outputTokens: { total: 3 } },
    warnings: [],
  }) as unknown as LanguageModelV4GenerateResult;
const tool = (input: string, id = 'c1'): Part => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'look',
  input,
});
const failure = (work: () => unknown): ModelAdapterFailure => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ModelAdapterFailure);
    return error as ModelAdapterFailure;
  }
  throw new Error('It did not fail.');
};

describe('the answer of a model', () => {
  it('consists of its text without reasoning, cleaned for the database, with tokens and cost', () => {
    const answer = answerOf(
      result(messageOf('a\0', { type: 'reasoning', text: 'secret' }, 'b\ud800')),
      ask(),
      'gpt-4o',
    );
    expect(answer).toEqual({
      text: 'a\ufffdb\ufffd',
      object: null,
      toolCalls: [],
      finish: 'stop',
      usage: { inputTokens: 7, outputTokens: 3, costMicroUsd: Math.ceil(7 * 2.5 + 3 * 10) },
    });
    const untold = answerOf(result({ ...messageOf('a'), inputTokens: { total: undefined } }), ask(), 'local');
    expect(untold.usage).toEqual({ inputTokens: 0, outputTokens: 3, costMicroUsd: null });
  });

  it.each([
    ['plainly', '{"n":1}'],
    ['within a code fence', '```json\n{"n":1}\n```'],
    ['after a thought', 'Let me see.\n{"n":1} There it is.'],
    ['after a marked thought with braces', '<think>{"n":2}, or {}?</think>\n{"n":1}'],
    ['with spaces', ' \n{ "n" : 1 }\n'],
  ])('contains the requested object, written %s', (_, text) => {
    expect(answerOf(result(messageOf(text)), WITH_SCHEMA, 'x').object).toEqual({ n: 1 });
  });

  it('can consist of several parts', () => {
    expect(answerOf(result(messageOf('{"n"', ':1}')), WITH_SCHEMA, 'x').object).toEqual({ n: 1 });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'I cannot.'],
    ['half of it', '{"n":1'],
    ['null', 'null'],
    ['a number', '5'],
    ['a list', '[{"n":1},{"n":2}]'],
    ['another type', '{"n":"1"}'],
    ['too little', '{}'],
    ['too much', '{"n":1,"more":2}'],
    ['two objects', '{"n":1} {"n":2}'],
  ])('is kept for a repair if it is %s instead of the object', (_, text) => {
    expect(failure(() => answerOf(result(messageOf(text)), WITH_SCHEMA, 'x'))).toMatchObject({
      failure: 'invalid_output',
      isTransient: false,
      text,
      usage: { inputTokens: 7, outputTokens: 3 },
    });
  });

  it('may call tools before it returns the object; an empty input counts as no arguments', () => {
    const calls = [tool('{"q":"a\\u0000"}'), tool('', 'c2'), tool(' ', 'c3')];
    expect(answerOf(result(messageOf('wait', ...calls)), WITH_SCHEMA, 'x')).toMatchObject({
      finish: 'tools',
      object: null,
      text: 'wait',
      toolCalls: [
        { id: 'c1', name: 'look', input: { q: 'a\ufffd' } },
        { id: 'c2', name: 'look', input: {} },
        { id: 'c3', name: 'look', input: {} },
      ],
    });
    expect(failure(() => answerOf(result(messageOf(tool('{"q":'))), ask(), 'x'))).toMatchObject({
      failure: 'invalid_output',
      text: '{"q":',
    });
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['other', 'stop'],
  ])('that ends with "%s" is finished by "%s"', (unified, finish) => {
    expect(answerOf(result({ ...messageOf('a'), unified }), ask(), 'x').finish).toBe(finish);
  });

  it.each(['content-filter', 'error'])(
    'that was withheld by %s is a refusal, whatever it contains',
    (unified) => {
      expect(
        failure(() => answerOf(result({ ...messageOf('{"n":1}'), unified }), WITH_SCHEMA, 'x')),
      ).toMatchObject({ failure: 'rejected', text: null, usage: { inputTokens: 7, outputTokens: 3 } });
    },
  );
});

describe('the error of a model', () => {
  const http = (statusCode?: number, responseHeaders: Record<string, string> = {}, cause?: unknown) =>
    new APICallError({
      message: 'secret',
      url: 'http://10.0.0.1/secret',
      requestBodyValues: {},
      cause,
      ...(statusCode === undefined ? {} : { statusCode }),
      responseHeaders,
      responseBody: 'secret',
    });
  const outbound = (fault: OutboundFault) => new OutboundError(fault, 'secret');

  it.each<[string, unknown, string, boolean, number | undefined]>([
    ['429', http(429, { 'retry-after': '3' }), 'rate_limited', true, 3_000],
    ['429 without a time', http(429), 'rate_limited', true, undefined],
    ['500', http(500), 'unavailable', true, undefined],
    ['503 with a time', http(503, { 'retry-after': '1' }), 'unavailable', true, 1_000],
    ['529', http(529), 'unavailable', true, undefined],
    ['408', http(408), 'unavailable', true, undefined],
    ['400', http(400), 'rejected', false, undefined],
    ['401', http(401, { 'retry-after': '9' }), 'rejected', false, undefined],
    ['404', http(404), 'rejected', false, undefined],
    ['200 that cannot be read', http(200), 'invalid_output', false, undefined],
    ['a redirect', http(302), 'rejected', false, undefined],
    ['no status', http(), 'invalid_output', false, undefined],
    ['unreachable', outbound('unreachable'), 'unavailable', true, undefined],
    ['unreachable, wrapped', http(undefined, {}, outbound('unreachable')), 'unavailable', true, undefined],
    [
      'too slow, wrapped twice',
      new Error('a', { cause: new Error('b', { cause: outbound('too slow') }) }),
      'timeout',
      false,
      undefined,
    ],
    ['too large', outbound('too large'), 'invalid_output', false, undefined],
    ['unreadable', outbound('unreadable'), 'invalid_output', false, undefined],
    ['refused by the guard', outbound('refused'), 'unavailable', false, undefined],
    ['no JSON', new JSONParseError({ text: 'secret', cause: null }), 'invalid_output', false, undefined],
    [
      'another shape',
      new TypeValidationError({ value: 'secret', cause: null }),
      'invalid_output',
      false,
      undefined,
    ],
    ['no data', new InvalidResponseDataError({ data: 'secret' }), 'invalid_output', false, undefined],
    ['unexpected error', new TypeError('secret'), 'unavailable', false, undefined],
    ['no error at all', 'secret', 'unavailable', false, undefined],
  ])(
    '%s gets a message of our own, and is marked as transient or not',
    (_, error, kind, isTransient, retryAfterMs) => {
      const found = failureOf(error);
      expect([found.failure, found.isTransient, found.retryAfterMs]).toEqual([
        kind,
        isTransient,
        retryAfterMs,
      ]);
      expect(`${found.message} ${found.text ?? ''}`).not.toMatch(/secret|10\.0\.0\.1/);
    },
  );

  it('that is already known stays unchanged', () => {
    const known = new ModelAdapterFailure('rejected', 'No.');
    expect(failureOf(known)).toBe(known);
  });
});

describe('a request to a model', () => {
  const { signal } = new AbortController();

  it('is converted message by message, without empty texts, and with tool calls', () => {
    const { prompt } = sdkOptions(
      ask({
        messages: [
          { role: 'system', text: 's' },
          { role: 'user', text: 'u' },
          { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', input: { q: 1 } }] },
          { role: 'tool', toolCallId: 'c1', name: 'look', text: 'found' },
          { role: 'assistant', text: 'done', toolCalls: [] },
        ],
      }),
      signal,
    );
    expect(prompt).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: [{ type: 'text', text: 'u' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { q: 1 } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'look',
            output: { type: 'text', value: 'found' },
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    ]);
  });

  it('has tools and a schema only if there are any, and a token limit', () => {
    const plain = sdkOptions(ask(), signal);
    expect([
      'tools' in plain,
      'toolChoice' in plain,
      'responseFormat' in plain,
      plain.maxOutputTokens,
    ]).toEqual([false, false, false, 10]);
    const tools = [{ name: 'look', description: 'd', parameters: SCHEMA }];
    expect(sdkOptions(ask({ tools, schema: { name: 'x', schema: SCHEMA } }), signal)).toMatchObject({
      tools: [{ type: 'function', name: 'look', description: 'd', inputSchema: SCHEMA }],
      toolChoice: { type: 'auto' },
      responseFormat: { type: 'json', name: 'x', schema: SCHEMA },
      abortSignal: signal,
    });
  });
});
