import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AddressGuard, DnsClient, isPublicAddress, OutboundError } from '@quarry/safe-http';
import type { ModelAsk, ModelToolCall } from '../language-model.port.js';
import {
  EXCLUDED,
  HOME,
  HOME_TEXT,
  HOSTILE_PAGES,
  SCHEMA,
  TRAP,
  TRUTH,
  type Call,
  type HostilePage,
} from './hostile-pages.fixture.js';
import { ModelResearch } from './model-research.js';
import type { FetchedPage, ResearchOutcome, ResearchStep } from './research.js';

const PAGES_MIN = 45;
/** Number of responses of the obeying model, far more than a run pays for. */
const ANSWERS = 12;
const STEPS_MAX = 200;
/** Limits that hold whatever a page instructs. */
const BOUNDS = { query: 400, callsPerAnswer: 8, reasoning: 350, shown: 30_000 } as const;

/** Resolves all names to public addresses, except those that point to the internal network. */
class LocalNames extends DnsClient {
  override async resolveAddresses(host: string): ReturnType<DnsClient['resolveAddresses']> {
    const outside = { address: '93.184.216.34', family: 4 as const };
    const inside = { address: '10.0.0.5', family: 4 as const };
    if (host === 'half-inside.example') return [outside, inside];
    return [/localhost|internal|^inside/.test(host) ? inside : outside];
  }
}
const guard = new AddressGuard({ dns: new LocalNames() });

/** Run in which the model obeys the hostile page in each response after it has read it. */
class Run {
  readonly steps: ResearchStep[] = [];
  /** Addresses that were connected to, and the IP addresses behind them. */
  readonly reached: string[] = [];
  readonly messages: string[] = [];
  readonly pages = new Map<string, FetchedPage>();
  readonly research: ModelResearch;
  /** Addresses from the user, a search or a page that was read. */
  readonly given: Set<string>;
  private answers = 0;
  private obeyed = 0;
  private longestAnswer = 0;

  /** @param isTrapFirst true to read the hostile page before the user's own page */
  constructor(
    private readonly hostile: HostilePage,
    private readonly isTrapFirst: boolean,
  ) {
    const urls = isTrapFirst ? [TRAP, HOME] : [HOME];
    this.given = new Set(urls);
    this.research = new ModelResearch({
      prompt: 'What is there to know of halbrook.example?',
      schema: SCHEMA,
      urls,
      allows: (url) =>
        /^https?:$/.test(new URL(url).protocol) && new URL(url).hostname !== new URL(EXCLUDED).hostname,
      ownDomains: new Set(['halbrook.example']),
    });
  }

  async done(): Promise<this> {
    for (let step = this.research.next(); step; step = this.research.next()) {
      if (this.steps.length >= STEPS_MAX || this.answers >= ANSWERS) break;
      this.steps.push(step);
      this.research.apply(step, await this.outcomeOf(step));
    }
    return this;
  }

  get queries(): string[] {
    return this.steps.flatMap((step) => (step.kind === 'search' ? [step.query] : []));
  }

  get read(): string[] {
    return this.steps.flatMap((step) => (step.kind === 'read' ? [step.url] : []));
  }

  /** Highest number of steps between two responses of the model. */
  get stepsPerAnswer(): number {
    return this.longestAnswer;
  }

  private async outcomeOf(step: ResearchStep): Promise<ResearchOutcome> {
    if (step.kind === 'think') {
      const toolCalls = this.callsOf(this.research.ask(60_000, 5)).map(([name, input], n): ModelToolCall => ({
        id: `c${this.steps.length}_${n}`,
        name,
        input,
      }));
      this.answers += 1;
      return { kind: 'think', answer: { text: '', toolCalls, finish: 'tools' } };
    }
    const since = this.steps.length - 1 - this.steps.findLastIndex(({ kind }) => kind === 'think');
    this.longestAnswer = Math.max(this.longestAnswer, since);
    if (step.kind === 'search') {
      this.given.add(TRAP);
      return {
        kind: 'search',
        items: [{ title: 'Listing', url: TRAP, snippet: this.hostile.text }],
        fault: null,
      };
    }
    return this.readAt(step.url);
  }

  private async readAt(url: string): Promise<ResearchOutcome> {
    try {
      const { hostname } = guard.parseUrl(url);
      const addresses = await guard.resolveHost(hostname);
      this.reached.push(url, ...addresses.map(({ address }) => address));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { kind: 'read', page: null, fault: error.message };
    }
    const page = this.pageAt(url);
    if (page) {
      this.pages.set(page.id, page);
      for (const link of page.links) this.given.add(link.url);
    }
    return { kind: 'read', page, fault: page ? null : 'There is no page at this address.' };
  }

  private pageAt(url: string): FetchedPage | null {
    const text = url === HOME ? HOME_TEXT : url === TRAP ? this.hostile.text : null;
    if (text === null) return null;
    const links = url === TRAP ? (this.hostile.links ?? []) : [];
    return {
      id: url === HOME ? 'home' : 'trap',
      url,
      title: null,
      text,
      statedFrom: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
      retrievedAt: '2026-01-01T00:00:00.000Z',
      links: links.map((link) => (typeof link === 'string' ? { url: link, text: '' } : link)),
    };
  }

  private callsOf({ messages }: Omit<ModelAsk, 'signal'>): readonly Call[] {
    this.messages.splice(0, Infinity, ...messages.map(({ text }) => text));
    const truth: Call = [
      'submit',
      {
        done: false,
        claims: TRUTH.map(([field, value, quote]) => ({ field, value, quote, page_id: 'home' })),
      },
    ];
    const obeyed = (): readonly Call[] =>
      this.hostile.obey({
        page: 'trap',
        turn: this.obeyed++,
        system: messages[0]!.text,
        request: messages[1]!.text,
      });
    if (this.isTrapFirst) return this.answers < 1 ? obeyed() : this.answers === 1 ? [truth] : obeyed();
    if (this.answers === 0) return [truth, ['search', { query: 'halbrook pumps' }]];
    return this.answers === 1 ? [['fetch', { url: TRAP }]] : obeyed();
  }
}

const NOTHING = {
  name: null,
  staff: null,
  email: null,
  site: null,
  revenue: null,
  status: null,
  offices: [],
};
const TRUE = { ...NOTHING, ...Object.fromEntries(TRUTH.map(([field, value]) => [field.slice(1), value])) };

describe(`a model that obeys each of ${HOSTILE_PAGES.length} hostile pages`, () => {
  const runs = new Map<HostilePage, readonly [after: Run, before: Run]>();
  beforeAll(async () => {
    for (const page of HOSTILE_PAGES)
      runs.set(page, [await new Run(page, false).done(), await new Run(page, true).done()]);
  });
  const cases = HOSTILE_PAGES.map((page) => ({ ...page, page }));

  it(`has at least ${PAGES_MIN} different pages`, () => {
    expect(new Set(HOSTILE_PAGES.map(({ name }) => name)).size).toBeGreaterThanOrEqual(PAGES_MIN);
    expect(new Set(HOSTILE_PAGES.map(({ text }) => text)).size).toBeGreaterThanOrEqual(PAGES_MIN);
  });

  it.each(cases)('reads only URLs that are given, needed and public: $name', ({ page }) => {
    for (const run of runs.get(page)!) {
      expect(run.pages.has('trap')).toBe(true);
      expect(run.read.filter((url) => !given(run).has(url))).toEqual([]);
      expect(run.read).toHaveLength(new Set(run.read).size);
      expect(run.read).not.toContain(EXCLUDED);
      expect(run.read.filter((url) => new URL(url).username + new URL(url).password !== '')).toEqual([]);
      const inside = run.reached.filter(
        (each) => /^[\d.]+$|^[\da-f:]+$/.test(each) && !isPublicAddress(each),
      );
      expect(inside).toEqual([]);
      expect(run.reached.filter((each) => /localhost|internal|inside|:\d+\/|\[|@/.test(each))).toEqual([]);
    }
  });

  it.each(cases)('changes no field and publishes nothing unproved: $name', ({ page }) => {
    const [after, before] = runs.get(page)!;
    // Values that the user's own page has proved remain, and only those that a page itself states are added.
    expect(after.research.verified().output).toEqual({ ...page.says, ...TRUE, ...fresh(page) });
    const published = before.research.verified().output as Record<string, unknown>;
    expect(Object.keys(published)).toEqual(Object.keys(NOTHING));
    for (const [field, value] of Object.entries(published))
      expect(
        [NOTHING, TRUE, page.says ?? {}].map((each) => (each as typeof published)[field]),
      ).toContainEqual(value);
    for (const run of [after, before]) {
      const { basis } = run.research.verified();
      for (const { value, citations, confidence, reasoning } of basis) {
        expect(reasoning.length).toBeLessThanOrEqual(BOUNDS.reasoning);
        if (value === null || Array.isArray(value)) continue;
        expect(citations.length).toBeGreaterThan(0);
        const texts = citations.map(
          ({ url }) => [...run.pages.values()].find((each) => each.url === url)!.text,
        );
        expect(citations.every(({ excerpt }, n) => texts[n]!.includes(excerpt))).toBe(true);
        if (citations.every(({ url }) => url === TRAP)) expect(confidence).not.toBe('high');
      }
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each(cases)('sends only a short search, and few at a time: $name', ({ page }) => {
    for (const run of runs.get(page)!) {
      expect(Math.max(0, ...run.queries.map((query) => query.length))).toBeLessThanOrEqual(BOUNDS.query);
      expect(run.queries).toHaveLength(new Set(run.queries).size);
      expect(run.stepsPerAnswer).toBeLessThanOrEqual(BOUNDS.callsPerAnswer);
      expect(run.steps.every(({ kind }) => ['think', 'read', 'search'].includes(kind))).toBe(true);
    }
  });

  it('is shown each page between different marks', () => {
    const marks = [...runs.values()].map(
      ([{ messages }]) => /=====page [\da-f]{32}=====/.exec(messages.join('\n'))?.[0],
    );
    const first = [...runs.values()].map(
      ([, { messages }]) => /=====page [\da-f]{32}=====/.exec(messages.join('\n'))?.[0],
    );
    // The user's own page is first in one order, and the hostile one in the other.
    expect(new Set(marks).size).toBe(1);
    expect(new Set(first).size).toBe(HOSTILE_PAGES.length);
  });

  it.each(cases)('is shown the page between marks that the page cannot write: $name', ({ page }) => {
    for (const run of runs.get(page)!) {
      const [system, request] = run.messages;
      expect(`${system} ${request}`).not.toContain(page.text.slice(0, 40));
      const shown = run.messages.filter((text) => text.startsWith('Page trap, read at '));
      expect(shown).toHaveLength(1);
      expect(shown[0]!.length).toBeLessThanOrEqual(BOUNDS.shown);
      const [, mark] = /\n(=====page [\da-f]{32}=====)\n/.exec(shown[0]!)!;
      const parts = shown[0]!.split(mark!);
      expect(parts).toHaveLength(3);
      expect(parts[2]).toBe('');
      expect(parts[1]).toContain(page.text.slice(0, 40));
    }
  });
});

/** @returns permitted addresses, normalised by `URL` */
function given(run: Run): ReadonlySet<string> {
  return new Set([...run.given].map((url) => new URL(url).href));
}

/** @returns values of a page for fields that the user's own page does not contain */
function fresh({ says = {} }: HostilePage): Record<string, unknown> {
  const known = TRUTH.map(([field]) => field.slice(1));
  return Object.fromEntries(Object.entries(says).filter(([field]) => !known.includes(field)));
}
