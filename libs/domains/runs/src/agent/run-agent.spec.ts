import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import { PlanningTimeoutError, type PlanIntent, type Planner } from '@quarry/plan';
import { FakePlanner } from '@quarry/prompt-fixtures';
import type { FoundItems } from '../ports/monitor-items.port.js';
import { NEWER_AGENT_WAIT_MS } from './run-agent.js';
import { AgentScene, EMAILS, failedLine, found, LEAD_COUNT } from './agent-scene.fixture.js';

/** Milliseconds: longer than the time limit of a planner and the validity of a lease. */
const LONG_MS = 40_000;
let scene: AgentScene;
beforeEach(() => void (scene = new AgentScene()));
afterEach(() => void jest.useRealTimers());

const planning = (plan: Planner['createPlan']): Planner => ({ createPlan: plan });
const never = (): Promise<never> => new Promise(() => undefined);
const finishedSteps = () => [...scene.steps].flatMap(([name, step]) => (step.isFinished ? name : []));

describe('the agent of a run', () => {
  it('plans, fills the table, requests paid lookups, judges, and publishes once', async () => {
    await scene.work();
    expect(scene.run).toMatchObject({ status: 'completed', artifacts: [expect.stringMatching(/^tbl_/)] });
    expect(scene.run.end?.message).toContain('150 of 150 matching rows');
    expect(scene.run.end?.message).toContain('150 of 150 found');
    expect(scene.cells('email')).toEqual({ filled: LEAD_COUNT });
    expect([...scene.batches.values()].map((inputs) => inputs.length)).toEqual([100, 50]);
    expect(scene.frozen).toEqual(scene.run.artifacts);
    expect(finishedSteps()).toEqual([
      'plan',
      'table-0.create',
      'table-0.rows',
      'table-0.fill.email.0',
      'table-0.fill.email.1',
      'table-0.fit',
    ]);
    expect(scene.logged).toEqual([]);
  });

  it('disqualifies a row without a value that is required, once it was looked up', async () => {
    scene.planner = new FakePlanner(() => ({
      ...EMAILS,
      columns: EMAILS.columns!.map((column) => ({ ...column, required: true })),
    }));
    scene.lookUp = ({ last_name: name }) => found(name === 'Lead0' ? null : 'a@b.test');
    await scene.work();
    const fits = [...scene.made()!.rows.values()].map(({ fit }) => [fit?.status, fit?.reason]);
    expect(fits.filter(([status]) => status === 'disqualified')).toEqual([
      ['disqualified', 'Has no value, but it is required: Work email'],
    ]);
  });

  it('judges a row before it is written if nothing is looked up, and writes none twice', async () => {
    scene.planner = new FakePlanner(() => ({ ...EMAILS, columns: [] }));
    const evaluatedLater = jest.fn();
    scene.at('setFit', evaluatedLater);
    await scene.work();
    const reasons = [...scene.made()!.rows.values()].map(({ fit }) => fit?.reason);
    expect(scene.run.status).toBe('completed');
    expect(new Set(reasons)).toEqual(new Set(['Not checked, because it was not understood: emails']));
    expect(reasons).toHaveLength(LEAD_COUNT);
    const counts = { qualified: 0, disqualified: 0, unknown: LEAD_COUNT };
    expect(scene.steps.get('table-0.fit')!.result).toEqual(counts);
    expect(evaluatedLater).not.toHaveBeenCalled();
  });

  it('leaves a run alone that another agent has or that has ended', async () => {
    for (const status of ['running', 'completed', 'cancelled']) {
      scene.run.status = status;
      await scene.work();
    }
    expect(scene.steps.size).toBe(0);
  });

  it.each(['createTable', 'appendRows', 'submit', 'ended', 'setFit', 'end'] as const)(
    'resumes where a killed agent was, at %s, and neither plans, adds nor charges anything twice',
    async (moment) => {
      const planner = new FakePlanner(() => EMAILS);
      scene.planner = planner;
      // A killed process leaves a call whose response nobody receives, and a lease that expires.
      scene.at(moment, (times) => (times === 1 ? never() : undefined));
      void scene.work();
      await new Promise(setImmediate);
      scene.run.status = 'recovering';
      await scene.work();
      expect(scene.run.status).toBe('completed');
      expect(planner.requests).toHaveLength(1);
      expect(scene.tables.size).toBe(2);
      expect(scene.made()?.rows.size).toBe(LEAD_COUNT);
      expect(new Set([...scene.batches.values()].map((inputs) => inputs.length))).toEqual(new Set([100, 50]));
      expect(scene.batches.size).toBe(2);
    },
  );

  it('changes the table of an earlier run of the conversation', async () => {
    await scene.work();
    const before = scene.steps.get('plan')!.result;
    scene = new AgentScene();
    scene.before = before;
    const planner = new FakePlanner(({ previous }) => ({
      ...previous!.intent,
      continues: true,
      count: { value: 3, fragments: ['150'], from: 'prompt' },
    }));
    scene.planner = planner;
    await scene.work();
    expect(planner.requests[0]!.previous?.intent).toMatchObject({ count: { value: LEAD_COUNT } });
    expect([scene.run.status, scene.made()?.rows.size, scene.cells('email')]).toEqual([
      'completed',
      3,
      { filled: 3 },
    ]);
  });
});

describe('a run of a monitor that watches columns', () => {
  it.each(['appendRows', 'setFit'] as const)(
    'keeps known rows that have changed, pays only for new ones, and reports once after a crash at %s',
    async (moment) => {
      // The monitor knows the first ten leads. The second and the fifth have changed; the sixth has the identity of the fifth.
      const identityOf = (key: string): string => (key === 'row_5' ? 'row_4' : key);
      const knownTo = (identity: string): boolean => /^row_[0-9]$/.test(identity);
      scene.memory = {
        isSilent: false,
        seenOf: (_plan, { key }) => ({ identity: identityOf(key), watched: `now ${key}` }),
        findKnown: async (rows) =>
          new Map(
            rows.flatMap(({ identity }): Array<[string, { hasChanged: boolean }]> =>
              knownTo(identity) ? [[identity, { hasChanged: ['row_1', 'row_4'].includes(identity) }]] : [],
            ),
          ),
      };
      scene.at(moment, (times) => (times === 1 ? never() : undefined));
      void scene.work();
      await new Promise(setImmediate);
      scene.run.status = 'recovering';
      await scene.work();
      expect(scene.run.status).toBe('completed');
      expect(scene.cells('email')).toEqual({ skipped: 2, filled: LEAD_COUNT - 10 });
      expect([...scene.batches.values()].flat()).toHaveLength(LEAD_COUNT - 10);
      const [skipped] = [...scene.made()!.rows.values()].map(({ cells }) => cells['email']!);
      expect(skipped!.reasoning).toContain('the monitor already knows the row');
      expect(scene.run.end?.message).toContain('2 known to the monitor changed. 8 known to the monitor');
      const [{ items, known }] = scene.reported as [FoundItems];
      expect(scene.reported).toHaveLength(1);
      expect([items.length, known]).toEqual([LEAD_COUNT - 8, 8]);
      expect(items.filter(({ isUpdated }) => isUpdated)).toMatchObject([
        { identity: 'row_1', watched: 'now row_1' },
        { identity: 'row_4', watched: 'now row_4' },
      ]);
    },
  );
});

describe('paid columns', () => {
  const unread = (): Partial<PlanIntent> => ({ ...EMAILS, not_understood: ['scale-ups'] });

  it('wait if a part of the prompt was not understood: nothing is charged, and the message names words, price and plan', async () => {
    scene.planner = new FakePlanner(unread);
    await scene.work();
    expect(scene.run.status).toBe('completed');
    expect(scene.batches.size).toBe(0);
    expect(scene.cells('email')).toEqual({ skipped: LEAD_COUNT });
    const [cell] = [...scene.made()!.rows.values()].map(({ cells }) => cells['email']!);
    expect(cell!.error).toMatchObject({ code: 'not_confirmed' });
    const [planId] = scene.offered;
    expect(scene.run.end?.message).toContain('“scale-ups” was not understood');
    expect(scene.run.end?.message).toContain(`for at most ${LEAD_COUNT} credits`);
    expect(scene.run.end?.message).toContain(`POST /v1/plans/${planId}/runs`);
    expect(scene.run.end?.message).toContain('The run cost nothing.');
  });

  it('wait in a follow-up too, until the plan is run', async () => {
    scene.planner = new FakePlanner(() => ({ ...unread(), columns: [] }));
    await scene.work();
    const before = scene.steps.get('plan')!.result;
    scene = new AgentScene();
    scene.before = before;
    scene.planner = new FakePlanner(() => ({ ...EMAILS, continues: true }));
    await scene.work();
    expect([scene.batches.size, scene.cells('email')]).toEqual([0, { skipped: LEAD_COUNT }]);
  });

  it('of a plan that ran for ten rows are paid only for the other rows, in the same table', async () => {
    const few = {
      ...EMAILS,
      count: { value: 10, fragments: ['150'], from: 'prompt' },
    } as Partial<PlanIntent>;
    scene.planner = new FakePlanner(() => few);
    await scene.work();
    const [tableId] = scene.run.artifacts;
    expect(scene.cells('email')).toEqual({ filled: 10 });
    const earlier = { run_id: 'run_0', plans: scene.steps.get('plan')!.result, made: { tableId: tableId! } };
    const next = new AgentScene();
    next.tables.set(tableId!, scene.made()!);
    // The row ids derive from the id of the first run.
    next.earlier = [{ ...earlier, run_id: 'run_1' }];
    next.planner = new FakePlanner(() => EMAILS);
    scene = next;
    await scene.work(undefined, 'run_2');
    expect(scene.run).toMatchObject({ status: 'completed', artifacts: [tableId] });
    expect(scene.made()?.rows.size).toBe(LEAD_COUNT);
    expect(scene.cells('email')).toEqual({ filled: LEAD_COUNT });
    expect([...scene.batches.values()].map((inputs) => inputs.length)).toEqual([90, 50]);
    expect(scene.run.end?.message).toContain('The run cost 140 credits.');
  });

  it.each([0, 30])('cost no more than the %i credits that the run is allowed', async (credits) => {
    scene.creditsMax = credits * 1000;
    await scene.work();
    expect(scene.run.status).toBe('completed');
    const cells = { skipped: LEAD_COUNT - credits, ...(credits > 0 ? { filled: credits } : {}) };
    expect(scene.cells('email')).toEqual(cells);
    expect([...scene.batches.values()].flat()).toHaveLength(credits);
    expect(scene.run.end?.message).toContain('The credit limit of the run is used up');
  });
});

describe('a run limited to 30 credits whose lookups often find nothing', () => {
  it('looks up more rows with what is left, and stops when that is used up', async () => {
    scene.creditsMax = 30_000;
    let lookups = 0;
    scene.lookUp = () => found((lookups += 1) % 2 === 0 ? 'a@b.test' : null);
    await scene.work();
    const { filled, empty, skipped } = scene.cells('email');
    expect([filled, scene.paid.size]).toEqual([30, 30]);
    expect(empty).toBeGreaterThanOrEqual(29);
    expect(filled! + empty! + skipped!).toBe(LEAD_COUNT);
    expect(scene.run.end?.message).toContain('The credit limit of the run is used up');
    expect(scene.run.end?.message).toContain('The run cost 30 credits.');
  });

  it('names its limit of rounds as the reason to stop, not its credits, if misses leave credits after every round', async () => {
    scene.creditsMax = 1_000;
    scene.lookUp = () => found(null);
    await scene.work();
    const { empty, skipped } = scene.cells('email');
    expect(skipped).toBeGreaterThan(0);
    expect(empty! + skipped!).toBe(LEAD_COUNT);
    const reasons = [...scene.made()!.rows.values()].map(({ cells }) => cells.email!.error?.message ?? '');
    expect(reasons.join()).toContain('The run stopped before this row, after 20 rounds');
    expect(`${reasons.join()} ${scene.run.end?.message}`).not.toContain('used up');
    expect(scene.run.end?.message).toContain('The run stopped after 20 rounds');
  });

  it('looks up every row if nothing is found at all', async () => {
    scene.creditsMax = 30_000;
    scene.lookUp = () => found(null);
    await scene.work();
    expect(scene.cells('email')).toEqual({ empty: LEAD_COUNT });
    expect(scene.run.end?.message).not.toContain('used up');
  });
});

describe('a run planned by an agent of a newer version', () => {
  beforeEach(async () => {
    scene.at('createTable', () => never());
    void scene.work();
    await new Promise(setImmediate);
    const [stored] = scene.steps.get('plan')!.result as Array<{ plan: { version: number } }>;
    stored!.plan.version = 99;
    scene.run.status = 'recovering';
  });

  it('is left to that version, unchanged', async () => {
    await scene.work();
    expect(scene.run).toMatchObject({ status: 'put back', end: null, artifacts: [] });
    expect(scene.logged).toEqual([]);
  });

  it('fails in the end if that version never returns', async () => {
    const agent = scene.agent();
    await scene.work(agent);
    scene.run.status = 'recovering';
    const later = performance.now() + NEWER_AGENT_WAIT_MS;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(later);
    await scene.work(agent);
    clock.mockRestore();
    expect(scene.run.end).toMatchObject({ status: 'failed', error: { code: 'agent_execution_failed' } });
  });
});

describe('a run that ends early', () => {
  it.each([
    ['createTable', 0, 0],
    ['appendRows', 100, 0],
    // Two batches are in progress at the same time.
    ['submit', LEAD_COUNT, 2],
  ] as const)(
    'is cancelled after %s: its rows stay, and nothing more is requested',
    async (at, rows, batches) => {
      scene.at(at, () => void (scene.run.isCancelled = true));
      await scene.work();
      expect(scene.run).toMatchObject({ status: 'cancelled', artifacts: [expect.any(String)] });
      expect([scene.made()?.rows.size, scene.batches.size]).toEqual([rows, batches]);
      expect(scene.frozen).toEqual([]);
      expect(scene.cells('email')).toEqual(rows === 0 ? {} : { [batches ? 'filled' : 'skipped']: rows });
    },
  );

  it('is cancelled while it waits for lines', async () => {
    scene.lookUp = () => found(null);
    scene.at('ended', () => {
      scene.run.isCancelled = true;
    });
    await scene.work();
    expect([scene.run.status, scene.batches.size]).toEqual(['cancelled', 2]);
  });

  it.each([
    ['cancelled', (own: AgentScene) => (own.run.isCancelled = true)],
    ['failed', (own: AgentScene) => (own.run.isRevoked = true)],
    [
      'failed',
      () => {
        throw new Error('unexpected error');
      },
    ],
  ])('and is %s cancels its batches, and leaves no cell pending', async (status, happens) => {
    const own = scene;
    scene.areLinesOpen = true;
    scene.at('ended', async () => {
      await new Promise(setImmediate);
      happens(own);
    });
    await scene.work();
    expect(scene.run.status).toBe(status);
    expect(scene.batches.size).toBe(2);
    expect(new Set(scene.cancelled)).toEqual(new Set(scene.batches.keys()));
    expect(scene.cells('email')).toEqual({ skipped: LEAD_COUNT });
    const end = scene.run.end!;
    const { error } = [...scene.made()!.rows.values()][0]!.cells.email!;
    expect(error).toEqual(end.status === 'failed' ? end.error : { code: 'cancelled', message: end.message });
  });

  it('and is cancelled keeps the answers of lines that had ended, since they are charged', async () => {
    [scene.areLinesOpen, scene.linesEnded] = [true, 40];
    scene.at('ended', async () => {
      await new Promise(setImmediate);
      scene.run.isCancelled = true;
    });
    await scene.work();
    expect(scene.run.status).toBe('cancelled');
    // Forty lines of each of the two batches.
    expect(scene.cells('email')).toEqual({ filled: 80, skipped: LEAD_COUNT - 80 });
  });

  it.each([
    ['its key is revoked', () => (scene.run.isRevoked = true)],
    ['its workspace is archived', () => (scene.run.isWorkspaceOpen = false)],
  ])('fails when %s', async (_, happens) => {
    scene.at('appendRows', happens);
    await scene.work();
    expect(scene.run.end).toMatchObject({ status: 'failed', error: { code: 'run_access_revoked' } });
    expect(scene.batches.size).toBe(0);
    expect(scene.cells('email')).toEqual({ skipped: 100 });
  });

  it('fails as archived if the archive of its workspace caused a refused write', async () => {
    scene.at('updateRows', () => {
      scene.run.isWorkspaceOpen = false;
      throw new AppError('table_not_found', 'Table not found.');
    });
    await scene.work();
    expect(scene.run.end).toMatchObject({ status: 'failed', error: { code: 'run_access_revoked' } });
  });

  it('fails when a table of it is deleted, without further lookups', async () => {
    scene.at('appendRows', () => (scene.run.isTableGone = true));
    await scene.work();
    expect(scene.run.end).toMatchObject({
      status: 'failed',
      error: { code: 'agent_execution_failed', message: 'A table of this run was deleted.' },
    });
    expect(scene.batches.size).toBe(0);
  });

  it('is handed back when the process stops, and another agent completes it', async () => {
    scene.at('appendRows', (times) => (times === 1 ? scene.stopping.abort() : undefined));
    await scene.work();
    expect([scene.run.status, scene.run.end, scene.batches.size]).toEqual(['recovering', null, 0]);
    const other = Object.assign(scene, { stopping: new AbortController() });
    await other.work();
    expect([scene.run.status, scene.made()?.rows.size]).toEqual(['completed', LEAD_COUNT]);
  });
});

describe('an agent that has lost its lease', () => {
  it.each(['plan', 'createTable', 'appendRows', 'submit', 'ended', 'setFit', 'freeze', 'end'] as const)(
    'to another one at %s ends nothing and logs nothing',
    async (moment) => {
      scene.at(moment, () => scene.supersede());
      await scene.work();
      expect([scene.run.status, scene.run.end]).toEqual(['running', null]);
      expect(scene.logged).toEqual([]);
    },
  );

  it('stops by itself before another one can take over, if no renewal is answered', async () => {
    jest.useFakeTimers();
    scene.renew = () => Promise.reject(new Error('storage is away'));
    scene.at('appendRows', () => jest.advanceTimersByTimeAsync(LONG_MS));
    await scene.work();
    expect([scene.run.status, scene.run.end, scene.made()?.rows.size]).toEqual(['running', null, 100]);
  });

  it('continues as long as its renewals are answered', async () => {
    jest.useFakeTimers();
    scene.at('appendRows', () => jest.advanceTimersByTimeAsync(LONG_MS));
    await scene.work();
    expect(scene.run.status).toBe('completed');
  });

  it('leaves the end to the lease when the database fails', async () => {
    scene.at('appendRows', () => Promise.reject(new Error('Connection terminated unexpectedly')));
    await scene.work();
    expect([scene.run.status, scene.run.end]).toEqual(['running', null]);
    expect(scene.logged).toEqual([
      { level: 'error', message: 'work could not be done; it comes again after its lease' },
    ]);
  });
});

describe('a planner that fails', () => {
  it('ends the run, and shows no detail of its error', async () => {
    scene.planner = planning(() => Promise.reject(new Error('key sk-secret is not valid')));
    await scene.work();
    expect(scene.run.end).toMatchObject({ status: 'failed', error: { code: 'agent_execution_failed' } });
    expect(JSON.stringify(scene.run.end)).not.toContain('secret');
    expect(scene.logged).toEqual([{ level: 'error', message: 'a run ended with an unexpected error' }]);
  });

  it('ends the run as timed out when it reports a timeout', async () => {
    scene.planner = planning(() => Promise.reject(new PlanningTimeoutError('Late.')));
    await scene.work();
    expect(scene.run.end).toMatchObject({ status: 'failed', error: { code: 'agent_timeout' } });
  });

  it('ends the run as timed out when it never answers', async () => {
    jest.useFakeTimers();
    scene.planner = planning(never);
    void scene.work();
    await jest.advanceTimersByTimeAsync(LONG_MS);
    expect(scene.run.end).toMatchObject({ status: 'failed', error: { code: 'agent_timeout' } });
  });

  it('is aborted within five seconds when the run is cancelled', async () => {
    jest.useFakeTimers();
    scene.planner = planning(() => {
      scene.run.isCancelled = true;
      return never();
    });
    void scene.work();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(scene.run.status).toBe('cancelled');
  });

  it('does not keep a process from stopping: the run is handed back', async () => {
    scene.planner = planning(never);
    void scene.work();
    await new Promise(setImmediate);
    scene.stopping.abort();
    await new Promise(setImmediate);
    expect([scene.run.status, scene.run.end]).toEqual(['recovering', null]);
  });
});

describe('lookups of a column', () => {
  it('that find nothing leave empty cells, and those that fail show an error; neither ends the run', async () => {
    const kinds = [
      found('a@b.test'),
      found(null),
      failedLine('provider_unavailable'),
      { state: 'cancelled' },
    ];
    let requests = 0;
    scene.lookUp = () => kinds[requests++ % kinds.length] as ReturnType<typeof found>;
    await scene.work();
    // Sums of both batches: one of a hundred rows and one of fifty.
    expect(scene.cells('email')).toEqual({ filled: 38, empty: 38, failed: 74 });
    expect(scene.run.end?.message).toContain('38 of 150 found, 38 not found, 74 failed');
  });

  it.each([
    ['before the first line', 0, { skipped: LEAD_COUNT }, 0],
    ['within a batch', 40, { filled: 40, skipped: 110 }, 1],
    ['between two batches', 100, { filled: 100, skipped: 50 }, 1],
  ])('end where the balance does, %s, and the run is published', async (_, balance, cells, batches) => {
    scene.balance = balance;
    await scene.work();
    expect(scene.run).toMatchObject({ status: 'completed', artifacts: scene.frozen });
    expect([scene.cells('email'), scene.batches.size]).toEqual([cells, batches]);
    expect(scene.run.end?.message).toContain('so the rest of the column is empty');
  });

  it('are waited for by the next agent even if the balance ended with another batch', async () => {
    scene.balance = 90;
    let goesOn = (): void => undefined;
    // The batch of fifty is charged first. Its agent is killed before it learns of that, after the batch of a hundred has ended.
    scene.at('submit', (times) =>
      times === 1 ? new Promise<void>((resolve) => (goesOn = resolve)) : undefined,
    );
    scene.at('ended', (times) => (times === 1 ? (goesOn(), never()) : undefined));
    void scene.work();
    while (!finishedSteps().includes('table-0.fill.email.0')) await new Promise(setImmediate);
    expect([scene.run.status, scene.batches.size]).toEqual(['running', 2]);
    scene.run.status = 'recovering';
    // When the batch of fifty is resumed, the step of the other batch has already reported that the balance is used up.
    let steps = 0;
    scene.at('step', () => ((steps += 1) === 5 ? new Promise(setImmediate) : undefined));
    await scene.work();
    expect([scene.run.status, scene.batches.size]).toEqual(['completed', 2]);
    expect(scene.cells('email')).toEqual({ filled: 90, skipped: 60 });
  });
});
