import { describe, expect, it } from '@jest/globals';
import { LanguageModel, LanguageModelError, type ModelAnswer, type ModelAsk } from '@quarry/language-models';
import type { ProviderCall, WebPage, WebPages } from '@quarry/engine';
import { ModelReadingProvider } from './model-reading.provider.js';

/** Returns scripted objects or tool calls, one after the other. */
class PlayedModel extends LanguageModel {
  readonly modelName = 'played';
  requests = 0;

  constructor(private readonly turns: ReadonlyArray<Partial<ModelAnswer> | Error>) {
    super();
  }

  completePrompt(_ask: ModelAsk): Promise<ModelAnswer> {
    const turn = this.turns[Math.min(this.requests, this.turns.length - 1)]!;
    this.requests += 1;
    if (turn instanceof Error) return Promise.reject(turn);
    const usage = { inputTokens: 1, outputTokens: 1, costMicroUsd: null };
    return Promise.resolve({ text: '', object: null, toolCalls: [], finish: 'stop', usage, ...turn });
  }
}

const ABOUT = 'https://halbrook.example/about';
const TEXT = 'Halbrook Pumps makes quiet pumps in Leeds since 1987.';
const stated = { url: ABOUT, title: 'Halbrook', language: 'en', metadata: {}, contacts: [], pairs: [] };
const pages = {
  readPage: async () =>
    ({
      url: ABOUT,
      title: 'Halbrook',
      text: TEXT,
      statedFrom: TEXT.length,
      links: [],
      stated: { ...stated, structured: [], microdata: [] },
    }) as unknown as WebPage,
} as unknown as WebPages;

function run(service: string, input: object, turns: ReadonlyArray<Partial<ModelAnswer> | Error>) {
  const call = { service, input, searchId: 'call_1', signal: new AbortController().signal };
  return new ModelReadingProvider(new PlayedModel(turns), pages).answerCall(call as ProviderCall);
}

const submit = (field: string, value: unknown, quote: string): Partial<ModelAnswer> => ({
  finish: 'tools',
  toolCalls: [
    { id: 'c1', name: 'submit', input: { done: true, claims: [{ field, value, page_id: 'p1', quote }] } },
  ],
});

describe('classifyText by a model', () => {
  const input = { text: 'We build pumps.', labels: ['industry', 'retail'] };

  it('returns one of the labels', async () => {
    const object = { label: 'industry', confidence: 'high', reasoning: 'Pumps are built.' };
    expect(await run('classifyText', input, [{ object }])).toEqual({
      found: true,
      deep: false,
      provider: 'model',
      output: { ...object, provider: 'model' },
    });
  });

  it.each([
    ['a label that was not given', { label: 'banking', confidence: 'high', reasoning: '' }],
    ['no confidence', { label: 'retail', reasoning: '' }],
    ['nothing', null],
    ['an unreadable answer', new LanguageModelError('invalid_output', 'No JSON.', 'hm')],
  ])('fails for %s, and is not charged', async (_, reply) => {
    const turn = reply instanceof Error ? reply : { object: reply };
    await expect(run('classifyText', input, [turn])).rejects.toMatchObject({ code: 'invalid_output' });
  });
});

describe('extractData by a model', () => {
  const schema = { type: 'object', properties: { founded: { type: 'integer' }, name: { type: 'string' } } };
  const input = { urls: [ABOUT], schema };

  it('fills the schema with values that are on the pages, each with its proof', async () => {
    const answer = await run('extractData', input, [
      submit('/founded', 1987, 'quiet pumps in Leeds since 1987'),
    ]);
    expect(answer).toMatchObject({
      found: true,
      provider: 'model',
      output: { data: { founded: 1987, name: null } },
    });
    const { basis } = answer.output as { basis: Array<{ field: string; citations: unknown[] }> };
    expect(basis.find(({ field }) => field === '/founded')!.citations).toMatchObject([{ url: ABOUT }]);
  });

  it('finds nothing if the model invents a value', async () => {
    const answer = await run('extractData', input, [submit('/founded', 1901, 'founded in 1901')]);
    expect(answer).toMatchObject({ found: false, output: { data: { founded: null } } });
  });
});
