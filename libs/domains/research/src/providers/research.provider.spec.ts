import { describe, expect, it } from '@jest/globals';
import { LanguageModel, LanguageModelError, type ModelAnswer, type ModelAsk } from '@quarry/language-models';
import { ProviderFailure, type ProviderCall, type WebPage, type WebPages } from '@quarry/engine';
import { ResearchProvider } from './research.provider.js';

type Turn = (ask: ModelAsk) => Array<readonly [name: string, input: unknown]> | Error;

/** Calls tools as scripted; after the end of the script it submits an empty result and finishes. */
class ToolModel extends LanguageModel {
  readonly modelName = 'scripted';
  requests = 0;

  constructor(private readonly turns: readonly Turn[]) {
    super();
  }

  completePrompt(ask: ModelAsk): Promise<ModelAnswer> {
    const turn = this.turns[this.requests] ?? (() => [['submit', { claims: [], done: true }] as const]);
    this.requests += 1;
    const reply = turn(ask);
    if (reply instanceof Error) return Promise.reject(reply);
    const toolCalls = reply.map(([name, input], i) => ({ id: `call_${this.requests}_${i}`, name, input }));
    const usage = { inputTokens: 1, outputTokens: 1, costMicroUsd: null };
    return Promise.resolve({ text: '', object: null, toolCalls, finish: 'tools', usage });
  }
}

const TEAM = 'https://halbrook.example/team';
const TEAM_TEXT = `Halbrook Pumps makes quiet pumps in Leeds since 1987. Ada Lovelace leads sales: ada.lovelace@halbrook.example, +44 20 7946 0018. Office: office@halbrook.example. Ada writes as ada.lovelace@elsewhere.example, too. Ada Lovelace leads sales, John Smith buys: john.smith@halbrook.example.`;
const TEXTS: Record<string, string> = { [TEAM]: TEAM_TEXT };
const page = (url: string): WebPage | null => {
  const text = TEXTS[url];
  const stated = { url, title: 'Halbrook', language: 'en', metadata: {}, contacts: [], pairs: [] };
  return text === undefined
    ? null
    : ({
        url,
        title: 'Halbrook',
        text,
        statedFrom: text.length,
        links: [],
        stated: { ...stated, structured: [], microdata: [] },
      } as unknown as WebPage);
};
const submit = (field: string, value: unknown, quote: string, pageId = 'p1') =>
  ['submit', { done: true, claims: [{ field, value, page_id: pageId, quote }] }] as const;
const search = (query: string) => ['search', { query }] as const;
const fetch = (url: string) => ['fetch', { url }] as const;

interface Bench {
  provider: Pick<ResearchProvider, 'answerCall' | 'acceptsCall'>;
  read: string[];
  searched: string[];
  model: ToolModel;
}

function benchOf(turns: readonly Turn[], { canSearch = true, found = [TEAM] } = {}): Bench {
  const read: string[] = [];
  const searched: string[] = [];
  const pages = {
    readPage: (url: string) => (read.push(url), Promise.resolve(page(url))),
  } as unknown as WebPages;
  const engine = {
    answerCall: ({ input }: ProviderCall) => {
      searched.push(String(input.query));
      const items = found.map((url) => ({ title: 'Team', url, snippet: null, published_at: null }));
      return Promise.resolve({ found: true, deep: false, provider: 'spec', output: { items } });
    },
  };
  const model = new ToolModel(turns);
  const research = new ResearchProvider(model, pages, ([phone], source) => ({
    phone_number: phone!.number.replaceAll(/[^\d+]/g, ''),
    phones: [{ country: 'GB', source }],
  }));
  const provider = {
    answerCall: (call: ProviderCall) =>
      research.answerCall({
        ...call,
        lookupFor: (service) => Promise.resolve(canSearch && service === 'webSearch' ? engine : null),
      }),
    acceptsCall: (call: ProviderCall) => research.acceptsCall(call),
  };
  return { provider, read, searched, model };
}

const call = (
  service: string,
  input: Record<string, unknown>,
  more: Partial<ProviderCall> = {},
): ProviderCall => ({ service, input, searchId: 'search_1', signal: new AbortController().signal, ...more });
const pumpsInput = { question: 'Where are the pumps of Halbrook made?', effort: 'low' };
const ADA = { first_name: 'Ada', last_name: 'Lovelace', domain: 'halbrook.example', deep: true };

async function failureOf(answer: Promise<unknown>): Promise<ProviderFailure> {
  const error: unknown = await answer.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ProviderFailure);
  return error as ProviderFailure;
}

describe('webResearch with a language model', () => {
  const QUOTE = 'Halbrook Pumps makes quiet pumps in Leeds';

  it('answers with words quoted from a page, and names the page', async () => {
    const bench = benchOf([
      () => [search('halbrook pumps')],
      () => [fetch(TEAM)],
      () => [submit('/answer', 'Leeds', QUOTE, 'p4')],
    ]);
    const answer = await bench.provider.answerCall(call('webResearch', pumpsInput));
    expect(answer).toMatchObject({
      found: true,
      deep: false,
      output: {
        found: true,
        answer: 'Leeds',
        confidence: 'medium',
        sources: [{ url: TEAM, title: 'Halbrook', excerpt: expect.stringContaining(QUOTE) }],
        provider: 'research',
      },
    });
    expect([bench.searched, bench.read]).toEqual([['halbrook pumps'], [TEAM]]);
  });

  it.each([
    ['words that are on no page', '/answer', 'Leeds', 'Their pumps come from Leeds in Yorkshire'],
    ['a value that is not in its quote', '/answer', 'Bradford', QUOTE],
    ['a page that was not read', '/answer', 'Leeds', QUOTE, 'p9'],
  ])('finds nothing if the model submits %s', async (_, field, value, quote, pageId = 'p1') => {
    const bench = benchOf([() => [submit(field, value, quote, pageId)]]);
    const answer = await bench.provider.answerCall(call('webResearch', { ...pumpsInput, urls: [TEAM] }));
    expect(answer).toMatchObject({ found: false, output: { answer: null, confidence: null, sources: [] } });
  });

  it('reads no URL that did not come from the input, a search or a page', async () => {
    const bench = benchOf([
      () => [fetch('http://169.254.169.254/latest')],
      () => [fetch('file:///etc/passwd')],
    ]);
    await bench.provider.answerCall(call('webResearch', { ...pumpsInput, urls: [TEAM] }));
    expect(bench.read).toEqual([TEAM]);
  });

  it('stops at the limit of its effort, and returns what is proved by then', async () => {
    const turns = Array.from({ length: 20 }, (_, i): Turn => () => [
      ...(i === 0
        ? [
            [
              'submit',
              { done: false, claims: [{ field: '/answer', value: 'Leeds', page_id: 'p1', quote: QUOTE }] },
            ] as const,
          ]
        : []),
      search(`query ${i}`),
    ]);
    const bench = benchOf(turns);
    const answer = await bench.provider.answerCall(call('webResearch', { ...pumpsInput, urls: [TEAM] }));
    expect(answer.output).toMatchObject({ found: true, answer: 'Leeds' });
    // Of 5: a page, two pairs of a model call and a search (1.5 each), and a model call that leaves too little for a search.
    expect([bench.model.requests, bench.searched.length]).toEqual([3, 2]);
  });

  it('reserves enough of its effort for the model, however many pages it is given', async () => {
    const others = Array.from({ length: 6 }, (_, i) => `${TEAM}?${i}`);
    const bench = benchOf([() => [submit('/answer', 'Leeds', QUOTE)]]);
    const answer = await bench.provider.answerCall(
      call('webResearch', { ...pumpsInput, urls: [TEAM, ...others] }),
    );
    expect(answer.output).toMatchObject({ found: true, answer: 'Leeds' });
    expect([bench.read.length, bench.model.requests]).toEqual([4, 1]);
  });

  it('reports an unknown URL or an unreadable answer to the model, and goes on', async () => {
    const guess = [fetch('https://a.example/'), fetch('https://b.example/'), fetch('https://c.example/')];
    const bench = benchOf([
      () => guess,
      () => new LanguageModelError('invalid_output', 'No JSON.', '{'),
      () => [submit('/answer', 'Leeds', QUOTE)],
    ]);
    const answer = await bench.provider.answerCall(
      call('webResearch', { ...pumpsInput, effort: 'medium', urls: [TEAM] }),
    );
    expect(answer.output).toMatchObject({ found: true, answer: 'Leeds' });
    expect(bench.read).toEqual([TEAM]);
  });

  it('reads a page that the question names', async () => {
    const bench = benchOf([() => [fetch(TEAM)], () => [submit('/answer', 'Leeds', QUOTE, 'p2')]]);
    const question = `Where are the pumps of ${TEAM} made?`;
    expect((await bench.provider.answerCall(call('webResearch', { question }))).output).toMatchObject({
      answer: 'Leeds',
    });
  });

  it('pays no model step and no search twice if another worker takes over', async () => {
    let saved: string | null = null;
    let isKilled = true;
    const vendorJob = {
      read: () => Promise.resolve(saved),
      save: (text: string) => {
        saved = text;
        return Promise.resolve();
      },
    };
    const killed = new Error('killed');
    const turns: Turn[] = [
      () => [search('halbrook pumps')],
      () => [fetch(TEAM)],
      () => (isKilled ? killed : [submit('/answer', 'Leeds', QUOTE, 'p4')]),
    ];
    const first = benchOf(turns);
    await expect(first.provider.answerCall(call('webResearch', pumpsInput, { vendorJob }))).rejects.toBe(
      killed,
    );
    isKilled = false;
    const second = benchOf(turns.slice(2));
    const answer = await second.provider.answerCall(call('webResearch', pumpsInput, { vendorJob }));
    expect(answer.output).toMatchObject({ answer: 'Leeds' });
    expect([second.model.requests, second.searched, second.read]).toEqual([1, [], [TEAM]]);
  });

  it('is not charged if it could not start: no search engine, no page, no model', async () => {
    const blind = benchOf([], { canSearch: false });
    expect(await failureOf(blind.provider.answerCall(call('webResearch', pumpsInput)))).toMatchObject({
      code: 'provider_unavailable',
    });
    const empty = benchOf([() => [search('halbrook')]], { found: [] });
    expect(await failureOf(empty.provider.answerCall(call('webResearch', pumpsInput)))).toMatchObject({
      code: 'provider_error',
    });
    const silent = benchOf([() => new LanguageModelError('timeout', 'No answer.')]);
    expect(
      await failureOf(silent.provider.answerCall(call('webResearch', { ...pumpsInput, urls: [TEAM] }))),
    ).toMatchObject({ code: 'timeout' });
  });
});

describe('the Deep agent', () => {
  const read = [() => [search('Ada Lovelace Halbrook')], () => [fetch(TEAM)]] satisfies Turn[];
  const emailWith = (value: string, quote: string) =>
    benchOf([...read, () => [submit('/email', value, quote, 'p5')]]).provider.answerCall(
      call('getEmail', ADA),
    );

  it('is used only if the input asks for it', () => {
    const { provider } = benchOf([]);
    expect(provider.acceptsCall(call('getEmail', ADA))).toBe(true);
    expect(provider.acceptsCall(call('getEmail', { ...ADA, deep: false }))).toBe(false);
    expect(provider.acceptsCall(call('webResearch', pumpsInput))).toBe(true);
  });

  it("finds an address next to the person's name, at the given company", async () => {
    expect(
      await emailWith(
        'ada.lovelace@halbrook.example',
        'Ada Lovelace leads sales: ada.lovelace@halbrook.example',
      ),
    ).toMatchObject({
      found: true,
      deep: true,
      output: { email: 'ada.lovelace@halbrook.example', status: 'unverified', provider: 'research' },
    });
  });

  it.each([
    ['of somebody else', 'office@halbrook.example', 'Office: office@halbrook.example.'],
    [
      'of a colleague in the same quote',
      'john.smith@halbrook.example',
      'Ada Lovelace leads sales, John Smith buys: john.smith@halbrook.example.',
    ],
    [
      'at another company',
      'ada.lovelace@elsewhere.example',
      'Ada writes as ada.lovelace@elsewhere.example, too.',
    ],
    [
      'that is on no page',
      'a.lovelace@halbrook.example',
      'Ada Lovelace leads sales: ada.lovelace@halbrook.example',
    ],
  ])('does not accept an address %s, and reports that it searched', async (_, value, quote) => {
    expect(await emailWith(value, quote)).toMatchObject({
      found: false,
      deep: true,
      output: { found: false, email: null, status: null, confidence: null },
    });
  });

  it.each([
    ['Wei', 'Li', 'info@halbrook.example', 'Public relations: info@halbrook.example', false],
    ['Wei', 'Li', 'wli@halbrook.example', 'Public relations: wli@halbrook.example', true],
    ['Jane', 'Doe', 'jane@halbrook.example', 'Jane Foster: jane@halbrook.example', false],
    ['Jane', 'Doe', 'jane@halbrook.example', 'Jane Doe, press: jane@halbrook.example', true],
    ['Иван', 'Петров', 'i.petrov@halbrook.example', 'Иван Петров: i.petrov@halbrook.example', true],
    [
      'Иван',
      'Петров',
      'press@halbrook.example',
      'Иван Петров: i.petrov@halbrook.example, press@halbrook.example',
      false,
    ],
  ])('judges for %s %s the address %s in "%s"', async (first_name, last_name, email, quote, isTheirs) => {
    TEXTS[TEAM] = `Who works at Halbrook. ${quote}`;
    const bench = benchOf([...read, () => [submit('/email', email, quote, 'p5')]]);
    const answer = await bench.provider.answerCall(call('getEmail', { ...ADA, first_name, last_name }));
    TEXTS[TEAM] = TEAM_TEXT;
    expect(answer.found).toBe(isTheirs);
  });

  it('returns a phone number in the format of the catalogue', async () => {
    const quote = 'Ada Lovelace leads sales: ada.lovelace@halbrook.example, +44 20 7946 0018.';
    const bench = benchOf([...read, () => [submit('/phone', '+44 20 7946 0018', quote, 'p5')]]);
    const { output } = await bench.provider.answerCall(call('getPhoneNumber', ADA));
    expect(output).toMatchObject({
      found: true,
      phone_number: '+442079460018',
      phones: [{ country: 'GB', source: 'halbrook.example' }],
    });
  });
});
