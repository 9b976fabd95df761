import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ModelAsk } from '../language-model.port.js';
import { HOSTILE_PAGES, type Call, type HostilePage } from '../research/hostile-pages.fixture.js';
import type { FetchedPage } from '../research/research.js';
import { ModelSourcing } from './model-sourcing.js';
import type { SourcedCandidate, SourcingOutcome, SourcingStep, SourcingTask } from './sourcing.js';

const LIST = 'https://list.example/ski';
const ALPIN = 'https://alpin.example/';
const BERG = 'https://berg.example/';
const TEXTS: Readonly<
  Record<string, { text: string; links?: Array<string | { url: string; text: string }> }>
> = {
  [LIST]: {
    text: 'Shops: Alpin Glanz in Innsbruck. Bergwerk Sport in Graz. Firnlinie at firn.example in Salzburg.',
    links: [ALPIN, BERG],
  },
  [ALPIN]: {
    text: 'Alpin Glanz sells touring skis. Founded in 1987 by two sisters.',
    links: [`${ALPIN}about`],
  },
  [`${ALPIN}about`]: { text: 'Alpin Glanz has its shop in Innsbruck, Austria.' },
  [BERG]: { text: 'Bergwerk Sport sells surfboards and never any skis.' },
  'https://firn.example/': { text: 'Firnlinie is an old firm of the valley.' },
};
const task: SourcingTask = {
  wanted: 'Ski shops in Austria',
  entity: 'company',
  count: 10,
  fields: { founded: { type: 'integer' } },
  criteria: [
    { text: 'sells skis', effect: 'require' },
    { text: 'is in Germany', effect: 'exclude' },
  ],
};

type ScriptedCalls = readonly Call[] | readonly (readonly [name: string, input: unknown])[];
interface Script {
  /** Responses of the model during the search, in order; after them it is done. */
  find: ReadonlyArray<(page: string) => ScriptedCalls>;
  /** Returns its response about a candidate, by name and turn. */
  evaluate: (name: string, answer: number, page: string) => ScriptedCalls;
}

const search = ['search', { query: 'ski shops austria' }] as const;
const fetch = (url: string) => ['fetch', { url }] as const;
const propose = (...candidates: Array<[name: string, url: string, page: string, quote: string]>) =>
  [
    'propose',
    {
      done: false,
      candidates: candidates.map(([name, url, page_id, quote]) => ({ name, url, page_id, quote })),
    },
  ] as const;
type Verdict = [criterion: number, holds: boolean, page: string, quote: string];
const evaluate = (verdicts: Verdict[], claims: unknown[] = [], done = true) =>
  [
    'judge',
    {
      done,
      claims,
      verdicts: verdicts.map(([criterion, holds, page_id, quote]) => ({ criterion, holds, page_id, quote })),
    },
  ] as const;
const END = [['propose', { done: true, candidates: [] }]] as const;

/** Runs the steps as a run would, with local pages and a scripted model. */
class Run {
  readonly journal: Array<{ step: SourcingStep; outcome: SourcingOutcome }> = [];
  readonly asks: Array<Omit<ModelAsk, 'signal'>> = [];
  readonly candidates: SourcedCandidate[] = [];
  readonly given = new Set<string>([LIST]);
  readonly sourcing: ModelSourcing;
  private readonly answers = new Map<string, number>();

  constructor(
    private readonly script: Script,
    what: Partial<SourcingTask> = {},
    private readonly options: {
      excluded?: string[];
      steps?: number;
      texts?: typeof TEXTS;
      found?: string;
    } = {},
  ) {
    this.sourcing = new ModelSourcing({ ...task, ...what });
    const most = options.steps ?? 100;
    for (let step = this.sourcing.next(); step && this.journal.length < most; step = this.sourcing.next()) {
      const outcome = this.outcomeOf(step);
      this.journal.push({ step, outcome });
      this.sourcing.apply(step, outcome);
      this.candidates.push(...this.sourcing.takeEvaluated());
    }
    this.sourcing.stop();
    this.candidates.push(...this.sourcing.takeEvaluated());
  }

  get read(): string[] {
    return this.journal.flatMap(({ step }) => (step.kind === 'read' ? [step.url] : []));
  }

  get shown() {
    return this.candidates.map(({ name, domain, verdicts }) => [
      name,
      domain,
      ...verdicts.map(({ holds }) => holds),
    ]);
  }

  private outcomeOf(step: SourcingStep): SourcingOutcome {
    if (step.kind === 'check') {
      const excluded = step.candidates.flatMap(({ domain }, i) =>
        this.options.excluded?.includes(domain!) ? [i] : [],
      );
      return { kind: 'check', excluded };
    }
    if (step.kind === 'search') {
      const url = this.options.found ?? LIST;
      this.given.add(url);
      return { kind: 'search', items: [{ title: 'A list', url, snippet: null }], fault: null };
    }
    return step.kind === 'read' ? { kind: 'read', ...this.pageAt(step.url) } : this.answer();
  }

  private pageAt(url: string): { page: FetchedPage | null; fault: string | null } {
    const known = (this.options.texts ?? TEXTS)[url];
    if (!known) return { page: null, fault: 'There is no page at this address.' };
    const { text } = known;
    const links = (known.links ?? []).map((link) =>
      typeof link === 'string' ? { url: link, text: '' } : link,
    );
    for (const { url: link } of links) this.given.add(link);
    const id = `p${this.journal.length + 1}`;
    const sha256 = createHash('sha256').update(text).digest('hex');
    const page = { id, url, title: null, text, statedFrom: text.length, sha256 };
    return { page: { ...page, retrievedAt: '2026-01-01T00:00:00.000Z', links }, fault: null };
  }

  private answer(): SourcingOutcome {
    const ask = this.sourcing.ask(60_000, 10);
    this.asks.push(ask);
    const name = /\{"name":"([^"]+)"/.exec(ask.messages[1]!.text)?.[1] ?? '';
    const at = this.answers.get(name) ?? 0;
    this.answers.set(name, at + 1);
    const page = [
      ...ask.messages
        .map(({ text }) => text)
        .join('\n')
        .matchAll(/^Page (p\d+), read at/gm),
    ].at(-1)?.[1];
    const replies =
      name === '' ? (this.script.find[at]?.(page ?? '') ?? END) : this.script.evaluate(name, at, page ?? '');
    const toolCalls = replies.map(([tool, input], n) => ({
      id: `c${this.journal.length}_${n}`,
      name: tool,
      input,
    }));
    return { kind: 'think', answer: { text: '', toolCalls, finish: 'tools' } };
  }
}

const all = (page: string) => [
  propose(
    ['Alpin Glanz', ALPIN, page, 'Alpin Glanz in Innsbruck.'],
    ['Bergwerk Sport', BERG, page, 'Bergwerk Sport in Graz.'],
    ['Firnlinie', 'firn.example', page, 'Firnlinie at firn.example in Salzburg'],
  ),
];
const FINDING: Script['find'] = [() => [search], () => [fetch(LIST)], all];
const EVALUATION: Script['evaluate'] = (name, _, page) => {
  if (name === 'Firnlinie') return [evaluate([[1, true, page, 'Firnlinie sells skis of all kinds.']])];
  if (name === 'Bergwerk Sport') return [evaluate([[1, false, page, 'surfboards and never any skis']])];
  const founded = { field: '/founded', value: 1987, page_id: page, quote: 'Founded in 1987 by two' };
  return [evaluate([[1, true, page, 'Alpin Glanz sells touring skis.']], [founded])];
};
const script: Script = { find: FINDING, evaluate: EVALUATION };

describe('searching for rows with a model', () => {
  it('judges each candidate by quotes from its own pages, and returns unknown without a quote', () => {
    const { candidates, read, shown } = new Run(script);
    expect(shown).toEqual([
      ['Alpin Glanz', 'alpin.example', true, null],
      ['Bergwerk Sport', 'berg.example', false, null],
      ['Firnlinie', 'firn.example', null, null],
    ]);
    const [alpin, , firn] = candidates;
    expect(alpin!.verdicts[0]!.citation).toMatchObject({
      url: ALPIN,
      excerpt: 'Alpin Glanz sells touring skis.',
    });
    expect(alpin!.citation).toMatchObject({ url: LIST, excerpt: 'Alpin Glanz in Innsbruck.' });
    expect(alpin!.values['founded']).toMatchObject({ value: 1987, citations: [{ url: ALPIN }] });
    expect(firn!.verdicts[0]!.reason).toBe('The quote is not on the cited page.');
    expect(read).toEqual([LIST, ALPIN, BERG, 'https://firn.example/']);
  });

  it.each<[string, Parameters<typeof propose>[0], string]>([
    [
      'no page names',
      ['Gletscher GmbH', ALPIN, 'p3', 'Gletscher GmbH in Innsbruck.'],
      'The quote is not on the cited page',
    ],
    [
      'a page gives another name',
      ['Alpin Palace', ALPIN, 'p3', 'Alpin Glanz in Innsbruck.'],
      'Found no supporting quote',
    ],
    [
      'is named only on an unread page',
      ['Alpin Glanz', ALPIN, 'p9', 'Alpin Glanz in Innsbruck.'],
      'was not read',
    ],
    [
      'has a URL that no page gave',
      ['Alpin Glanz', 'https://elsewhere.example/', 'p3', 'Alpin Glanz in Innsbruck.'],
      'Nobody has given',
    ],
    [
      'has no URL',
      ['Alpin Glanz', 'file:///etc/passwd', 'p3', 'Alpin Glanz in Innsbruck.'],
      'Nobody has given',
    ],
  ])('accepts no candidate that %s', (_, [name, url, , quote], why) => {
    const run = new Run({
      ...script,
      find: [
        () => [search],
        () => [fetch(LIST)],
        (page) => [propose([name, url, why.includes('was not') ? 'p9' : page, quote])],
      ],
    });
    expect(run.candidates).toEqual([]);
    expect(
      run.asks
        .at(-1)!
        .messages.map(({ text }) => text)
        .join('\n'),
    ).toContain(`${name}: refused. `);
    expect(
      run.asks
        .at(-1)!
        .messages.map(({ text }) => text)
        .join('\n'),
    ).toContain(why);
  });

  it('finds nobody on an exclusion list, and nobody twice', () => {
    const run = new Run({ ...script, find: [...FINDING, all] }, {}, { excluded: ['berg.example'] });
    expect(run.shown.map(([name]) => name)).toEqual(['Alpin Glanz', 'Firnlinie']);
    expect(run.sourcing.excluded).toBe(1);
    expect(run.read).not.toContain(BERG);
  });

  it('judges no further candidate after enough of them fit', () => {
    const run = new Run(script, { count: 1 });
    expect(run.shown).toEqual([['Alpin Glanz', 'alpin.example', true, null]]);
    expect(run.read).toEqual([LIST, ALPIN]);
  });

  it('returns unjudged candidates as unknown if the budget is spent, and says so', () => {
    const { candidates } = new Run(script, {}, { steps: 6 });
    expect(candidates.map(({ name, isCutShort }) => [name, isCutShort])).toEqual(
      ['Alpin Glanz', 'Bergwerk Sport', 'Firnlinie'].map((name) => [name, true]),
    );
    expect(candidates.flatMap(({ verdicts }) => verdicts.map(({ holds }) => holds))).toEqual(
      Array(6).fill(null),
    );
  });

  it('finds the same candidates from its journal, wherever it is resumed', () => {
    const { journal, candidates } = new Run(script);
    const sourcing = new ModelSourcing(task);
    const found: SourcedCandidate[] = [];
    for (const { step, outcome } of JSON.parse(JSON.stringify(journal)) as typeof journal) {
      expect(sourcing.next()).toEqual(step);
      sourcing.apply(step, outcome);
      found.push(...sourcing.takeEvaluated());
    }
    expect([sourcing.next(), found]).toEqual([null, candidates]);
  });

  it("adds no message between the model's tool calls and their results", () => {
    const mixed = (page: string): ScriptedCalls => [
      ...all(page),
      fetch(ALPIN),
      ['search', { query: 'more shops' }],
    ];
    const { asks, candidates } = new Run({ ...script, find: [() => [search], () => [fetch(LIST)], mixed] });
    for (const { messages } of asks)
      for (const [at, message] of messages.entries())
        if (message.role === 'assistant') {
          const ids = message.toolCalls.map(({ id }) => id);
          const behind = messages.slice(at + 1, at + 1 + ids.length);
          expect(behind.map((each) => (each.role === 'tool' ? each.toolCallId : each.role)).sort()).toEqual(
            ids,
          );
        }
    const replies = asks
      .at(-1)!
      .messages.map(({ text }) => text)
      .join('\n');
    for (const { name } of candidates) expect(replies).toContain(`"${name}" was judged`);
    expect(candidates).toHaveLength(3);
  });

  it('finds sites in a page of one endless word as fast as in any other', () => {
    const endless = { ...TEXTS, [LIST]: { text: `${TEXTS[LIST]!.text} ${'a'.repeat(200_000)}` } };
    const many = (page: string): ScriptedCalls => [
      propose(
        ...Array.from({ length: 50 }, (_, n): [string, string, string, string] => [
          'Firnlinie',
          `nobody-${n}.example`,
          page,
          'Firnlinie at firn.example',
        ]),
      ),
    ];
    const began = performance.now();
    const find = [() => [search], () => [fetch(LIST)], many];
    expect(new Run({ ...script, find }, {}, { texts: endless }).candidates).toEqual([]);
    // Takes milliseconds; with quadratic time in the length of the word it would take minutes.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  describe('a site', () => {
    const EVIL = 'https://evil.example/';
    type Link = { url: string; text: string };
    const found = (url: string, text: string, links: Array<string | Link>, pages: typeof TEXTS = {}) => {
      const texts = {
        [LIST]: { text, links },
        [EVIL]: { text: 'Buy my pills here, and nothing else.' },
        ...pages,
      };
      const find: Script['find'] = [
        () => [search],
        () => [fetch(LIST)],
        (page) => [propose(['Alpin Glanz', url, page, 'Alpin Glanz in Innsbruck'])],
      ];
      const run = new Run({ find, evaluate: () => [evaluate([])] }, {}, { texts });
      return run.candidates.map(({ domain, siteCitation }) => [domain, siteCitation?.excerpt ?? null]);
    };
    const TEXT = 'Shops: Alpin Glanz in Innsbruck.';

    it.each<[string, ReturnType<typeof found>, string | null, string | null]>([
      ['a page merely links to', found(EVIL, TEXT, [EVIL]), null, null],
      ['another name links to', found(EVIL, TEXT, [{ url: EVIL, text: 'Alpin Glanzer' }]), null, null],
      ['a link beside another name leads to', found(EVIL, `${TEXT}\n[Pills](${EVIL})`, [EVIL]), null, null],
      ...[
        'x.com/alpin',
        'www.facebook.com/alpin',
        'alpin.etsy.com',
        'www.amazon.co.uk/alpin',
        'medium.com/@alpin',
      ].map((at): [string, ReturnType<typeof found>, null, null] => [
        `a profile has, at ${at}`,
        found(`https://${at}`, TEXT, [{ url: `https://${at}`, text: 'Alpin Glanz' }]),
        null,
        null,
      ]),
      [
        'a link with its name leads to',
        found(EVIL, TEXT, [{ url: EVIL, text: 'The Alpin Glanz' }]),
        'evil.example',
        `[The Alpin Glanz](${EVIL})`,
      ],
      [
        'a link beside its name leads to',
        found(EVIL, `Shops: Alpin Glanz in Innsbruck, [site](${EVIL}).`, [{ url: EVIL, text: 'site' }]),
        'evil.example',
        `Alpin Glanz in Innsbruck, [site](${EVIL})`,
      ],
      [
        'has a page with its name',
        found(EVIL, TEXT, [EVIL], { [EVIL]: { text: 'Welcome to ALPIN  Glanz of Tyrol.' } }),
        'evil.example',
        'ALPIN Glanz of Tyrol.',
      ],
    ])('that %s: belongs to the candidate only if a page shows it', (_, candidates, domain, excerpt) => {
      expect(candidates).toEqual([[domain, excerpt]]);
    });

    it('is used once, whatever names it was found under', () => {
      const twice = (page: string): ScriptedCalls => [
        propose(
          ['Alpin Glanz', ALPIN, page, 'Alpin Glanz in Innsbruck.'],
          ['Alpin', ALPIN, page, 'Shops: Alpin Glanz in'],
        ),
      ];
      const run = new Run({
        find: [() => [search], () => [fetch(LIST)], twice],
        evaluate: () => [evaluate([])],
      });
      expect(run.shown.map(([name, domain]) => [name, domain])).toEqual([['Alpin Glanz', 'alpin.example']]);
    });
  });

  it('makes a criterion unknown if pages contradict each other', () => {
    const both: Script['evaluate'] = (_name, answer, page) =>
      answer === 0
        ? [evaluate([[1, true, page, 'Alpin Glanz sells touring skis.']], [], false)]
        : [evaluate([[1, false, page, 'Founded in 1987 by two sisters.']])];
    const run = new Run({ ...script, evaluate: both }, { count: 1 });
    expect(run.candidates[0]!.verdicts[0]).toMatchObject({ holds: null, reason: 'Pages about it say both.' });
  });
});

/** Page with instructions, which is a search result or a candidate's own page. */
const TRAP = 'https://trap.example/shop';
const trapTexts = ({ text, links = [] }: HostilePage): typeof TEXTS => ({
  ...TEXTS,
  [TRAP]: {
    text: `${text} Trapdoor Skis is a shop in Vienna.`,
    links: links.map((link) => (typeof link === 'string' ? link : link.url)),
  },
});

/**
 * Returns the calls that a page instructs, as tools of the conversation: its claims become candidates, or verdicts and
 * claims.
 */
function obeyed(page: HostilePage, id: string, turn: number, own: 'propose' | 'judge'): ScriptedCalls {
  return page
    .obey({ page: id, turn, system: 'You', request: 'Ski shops' })
    .flatMap(([name, input]): ScriptedCalls => {
      const { claims } = (input ?? {}) as { claims?: unknown };
      if (name !== 'submit' || !Array.isArray(claims)) return [[name, input] as const];
      if (own === 'judge') {
        const verdicts = claims.map((claim: { quote?: unknown }) => ({
          criterion: 1,
          holds: true,
          page_id: id,
          quote: claim?.quote,
        }));
        return [
          ['judge', { verdicts: [], claims, done: false }] as const,
          ['judge', { verdicts, claims: [], done: false }] as const,
        ];
      }
      const candidates = claims.map((claim: { value?: unknown; quote?: unknown; page_id?: unknown }) => ({
        name: typeof claim?.value === 'string' ? claim.value : JSON.stringify(claim?.value),
        url: TRAP,
        page_id: claim?.page_id,
        quote: claim?.quote,
      }));
      return [['propose', { candidates, done: false }] as const];
    });
}

describe(`a model that obeys each of ${HOSTILE_PAGES.length} hostile pages`, () => {
  it.each(HOSTILE_PAGES.map((page) => ({ name: page.name, page })))(
    'reads given URLs, proposes what a page names, and judges by its words: $name',
    ({ page }) => {
      const trap = (id: string) => [
        propose(['Trapdoor Skis', TRAP, id, 'Trapdoor Skis is a shop in Vienna.']),
      ];
      const hostile: Script = {
        find: [
          () => [search],
          () => [fetch(TRAP)],
          ...[0, 1].map((turn) => (id: string) => obeyed(page, id, turn, 'propose')),
          trap,
        ],
        evaluate: (_, turn, id) => obeyed(page, id, turn, 'judge'),
      };
      const texts = trapTexts(page);
      const run = new Run(hostile, {}, { texts, found: TRAP });
      const given = new Set([...run.given].flatMap((url) => URL.parse(url)?.href ?? []));
      expect(run.read.filter((url) => !given.has(url))).toEqual([]);
      expect(run.journal.filter(({ step }) => step.kind === 'search' && step.query.length > 400)).toEqual([]);
      const folded = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
      for (const { name, url, citation, verdicts, values } of run.candidates) {
        expect(new URL(url).host).toBe(new URL(TRAP).host);
        expect(folded(texts[citation.url]!.text)).toContain(folded(citation.excerpt));
        expect(folded(citation.excerpt)).toContain(folded(name));
        for (const found of [...verdicts.map((each) => each.citation), ...values['founded']!.citations])
          if (found)
            expect(texts[found.url]!.text.replace(/\s+/g, ' ')).toContain(found.excerpt.replace(/…$/, ''));
        expect(verdicts.every(({ holds, citation: shown }) => (holds === null) === (shown === null))).toBe(
          true,
        );
      }
      // Its instructions are between marks, and never in the product's own messages.
      for (const { messages } of run.asks) expect(messages[0]!.text).not.toContain(page.text.slice(0, 40));
    },
  );
});
