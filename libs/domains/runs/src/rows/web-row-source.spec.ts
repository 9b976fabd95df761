import { describe, expect, it } from '@jest/globals';
import type { StepJournal } from '@quarry/durable-work';
import {
  LanguageModelError,
  type SourcingOutcome,
  type SourcingStep,
  type WebPlan,
} from '@quarry/language-models';
import { emptyIntent } from '@quarry/plan';
import { compilePlan } from '@quarry/plan-compiler';
import type { RunGuard } from '../execution/run-guard.js';
import type { LeasedRun } from '../execution/run-lease.store.js';
import { WebRowSource } from './web-row-source.js';

const WANTED = 'Ski makers of list.example';
const source = { kind: 'web', wanted: WANTED, fragments: [WANTED], from: 'prompt' } as const;
const plan = compilePlan(emptyIntent('company', { source, output_table: null }), {
  output: null,
  table: null,
}) as WebPlan;
const TEXT = 'Alpin Glanz at alpin.example makes skis. Bergwerk at berg.example makes skis.';

const page = {
  id: 'p2',
  url: 'https://list.example/',
  title: null,
  text: TEXT,
  statedFrom: TEXT.length,
  links: [],
  sha256: '',
  retrievedAt: '2026-01-01T00:00:00.000Z',
};
const candidates = [
  ['Alpin Glanz', 'alpin.example'],
  ['Bergwerk', 'berg.example'],
].map(([name, url]) => ({ name, url, page_id: 'p2', quote: `${name} at ${url}` }));
const CALLS = [
  { name: 'fetch', input: { url: 'https://list.example/' } },
  { name: 'propose', input: { candidates, done: false } },
];

/** Runs that share one journal, as successive agents do. The model answers a given number of requests, then fails. */
class Scene {
  readonly appended: string[][] = [];
  readonly hold = { amount: 60_000, refusal: null, endsAt: Date.now() + 600_000 };
  /** Steps that were performed, not read from the journal. */
  readonly done: string[] = [];
  private readonly steps = new Map<string, string>();

  /** @param atFailure called before the model fails */
  async source(answers: number, atFailure: () => void = () => undefined) {
    let requests = 0;
    const rows: string[] = [];
    this.appended.push(rows);
    const perform = (step: SourcingStep): Promise<{ outcome: SourcingOutcome; cost: number }> => {
      this.done.push(step.kind);
      const outcome = (): SourcingOutcome => {
        if (step.kind === 'read')
          return step.url === page.url
            ? { kind: 'read', page, fault: null }
            : { kind: 'read', page: null, fault: 'There is no page.' };
        if (requests >= answers) {
          atFailure();
          throw new LanguageModelError('unavailable', 'It is gone.');
        }
        const call = CALLS[requests] ?? { name: 'judge', input: { verdicts: [], claims: [], done: true } };
        requests += 1;
        const toolCalls = [{ id: `c${requests}`, ...call }];
        return { kind: 'think', answer: { text: '', toolCalls, finish: 'tools' } };
      };
      return Promise.resolve().then(() => ({ outcome: outcome(), cost: 1000 }));
    };
    const journal = {
      resultOf: async (name: string) => JSON.parse(this.steps.get(name) ?? 'null') as unknown,
      runStep: async (name: string, prepare: () => unknown, work: (input: unknown) => Promise<unknown>) => {
        if (!this.steps.has(name)) this.steps.set(name, JSON.stringify(await work(await prepare())));
        return JSON.parse(this.steps.get(name)!) as unknown;
      },
    } as unknown as StepJournal;
    const sourcer = new WebRowSource(
      { performStep: perform } as never,
      { openWeb: async () => ({ pages: {} }) } as never,
      { holdCredits: async () => this.hold, keepUsed: async () => undefined } as never,
      {
        appendRows: async (
          _ctx: unknown,
          _table: string,
          added: Array<{ id: string; values: { name: string } }>,
        ) => void rows.push(...added.map(({ values }) => values.name)),
      } as never,
      { excludedAmong: async () => new Set<number>() } as never,
      {} as never,
    );
    const guard = { checkpoint: async () => undefined, stopping: new AbortController().signal };
    return sourcer.sourceRows({ id: 'run_1', ctx: {} } as LeasedRun, journal, guard as unknown as RunGuard, {
      plan,
      tableId: 'tbl_1',
      index: 0,
    });
  }
}

describe('searching the web for rows', () => {
  it('keeps candidates as rows if the model fails before it judged any, and says so', async () => {
    const scene = new Scene();
    const { summary } = await scene.source(2);
    expect(scene.appended).toEqual([['Alpin Glanz', 'Bergwerk']]);
    expect(summary).toContain('The search stopped because the language model failed.');
  });

  it('reports that the time is over if that aborted the model', async () => {
    const scene = new Scene();
    const { summary } = await scene.source(2, () => (scene.hold.endsAt = Date.now() - 1));
    expect(scene.appended).toEqual([['Alpin Glanz', 'Bergwerk']]);
    expect(summary).toContain('its time is over');
    expect(summary).not.toContain('model failed');
  });

  it('fails if the model fails before anything was found, also when repeated', async () => {
    const scene = new Scene();
    for (const answers of [0, 9])
      await expect(scene.source(answers)).rejects.toThrow('The language model failed.');
    expect(scene.done).toEqual(['think']);
  });

  it.each([2, 3])(
    'gives the same rows when another worker takes over after the model failed at %d answers',
    async (answers) => {
      const scene = new Scene();
      const first = await scene.source(answers);
      const done = [...scene.done];
      expect(await scene.source(99)).toEqual(first);
      expect(scene.appended[1]).toEqual(scene.appended[0]);
      expect(scene.done).toEqual(done);
    },
  );
});
