import { describe, expect, it } from '@jest/globals';
import { LanguageModelError, type LanguageModel, type ResearchStep } from '@quarry/language-models';
import { ProviderFailure, type WebPage } from '@quarry/engine';
import { ResearchBudget } from './research-budget.js';
import { ResearchSteps, type StepLimits } from './research-steps.js';

const HOME = 'https://halbrook.example/';
const READ: ResearchStep = { kind: 'read', url: HOME, callId: null };
const SEARCH: ResearchStep = { kind: 'search', query: 'pumps', callId: 'c1' };
const THINK: ResearchStep = { kind: 'think' };
const page = {
  url: HOME,
  title: null,
  text: 'Quiet\0 pumps',
  statedFrom: 12,
  links: [],
} as unknown as WebPage;
const failure = new ProviderFailure('provider_error', 'The page may not be read.', { provider: null });
const items = [{ title: 'Pumps', url: HOME, snippet: null, published_at: null }];

const perform = async (
  step: ResearchStep,
  change: {
    read?: () => Promise<WebPage | null>;
    engine?: null;
    allows?: boolean;
    signal?: AbortSignal;
    answer?: unknown;
  },
) => {
  const model = {
    completePrompt: async () => {
      if (change.answer instanceof Error) throw change.answer;
      return { text: 'a\0b', toolCalls: [], finish: 'stop' };
    },
  } as unknown as LanguageModel;
  const engine = {
    answerCall: async () => ({ found: true, deep: false, provider: 'spec', output: { items } }),
  };
  const limits: StepLimits = {
    web: {
      pages: { readPage: change.read ?? (async () => page) },
      engine: change.engine === null ? null : engine,
    },
    pageId: 'p1',
    searchId: 's1',
    allows: () => change.allows ?? true,
    ask: () => ({}) as never,
    signal: change.signal ?? new AbortController().signal,
  };
  return new ResearchSteps(model).performStep(step, limits);
};

describe('a research step', () => {
  it('costs what the contract says, and returns data that the database can store', async () => {
    expect(await perform(READ, {})).toMatchObject({
      cost: 1000,
      outcome: { page: { id: 'p1', text: 'Quiet\uFFFD pumps' } },
    });
    expect(await perform(SEARCH, {})).toMatchObject({
      cost: 500,
      outcome: { items: [{ title: 'Pumps', url: HOME }] },
    });
    expect(await perform(THINK, {})).toMatchObject({ cost: 1000, outcome: { answer: { text: 'a\uFFFDb' } } });
  });

  it.each<[string, ResearchStep, Parameters<typeof perform>[1], string]>([
    ['a missing page', READ, { read: async () => null }, 'There is no page at this address.'],
    ['a page that must not be read', READ, { read: () => Promise.reject(failure) }, failure.message],
    [
      'a page that redirects elsewhere',
      READ,
      { allows: false },
      'The address leads to a domain that is not to be read.',
    ],
    [
      'a search without a provider',
      SEARCH,
      { engine: null },
      'No search engine is configured: read pages by their addresses.',
    ],
  ])('costs nothing for %s, and says so', async (_, step, change, fault) => {
    expect(await perform(step, change)).toMatchObject({ cost: 0, outcome: { fault } });
  });

  it('costs nothing for an unreadable answer, and fails if the model gives none', async () => {
    const unread = new LanguageModelError('invalid_output', 'No JSON.');
    expect(await perform(THINK, { answer: unread })).toMatchObject({
      cost: 0,
      outcome: { answer: { toolCalls: [] } },
    });
    const silent = new LanguageModelError('unavailable', 'It does not answer.');
    await expect(perform(THINK, { answer: silent })).rejects.toBe(silent);
  });

  it('ends with the reason for which the work was taken away', async () => {
    const taken = AbortSignal.abort(new Error('taken away'));
    await expect(perform(READ, { signal: taken, read: () => Promise.reject(failure) })).rejects.toThrow(
      'taken away',
    );
  });
});

describe('a research budget', () => {
  it.each<[number, boolean, ResearchStep, string]>([
    [2000, true, READ, 'paid'],
    [1999, true, READ, 'refused'],
    [1500, true, SEARCH, 'paid'],
    [1499, true, SEARCH, 'refused'],
    [1000, true, THINK, 'paid'],
    [999, true, THINK, 'spent'],
    [1000, false, READ, 'paid'],
    [999, false, READ, 'spent'],
  ])('of %d thousandths (with a model: %s) decides on %j: %s', (most, thinks, step, verdict) => {
    const budget = new ResearchBudget(most + 500, thinks);
    budget.addCost(500);
    expect([budget.checkStep(step), budget.used]).toEqual([verdict, 500]);
  });
});
