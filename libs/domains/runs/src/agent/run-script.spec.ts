import { describe, expect, it } from '@jest/globals';
import type { StepJournal } from '@quarry/durable-work';
import {
  PlanningFailedError,
  PlanningTimeoutError,
  type PlanIntent,
  type Planner,
  type RunPlan,
} from '@quarry/plan';
import { readStoredPlans } from '@quarry/plan-compiler';
import type { Database } from '@quarry/postgres';
import { FakePlanner } from '@quarry/prompt-fixtures';
import type { ResearchWebs } from '@quarry/research';
import type { TableFreezerPort, TableReaderPort } from '../ports/table-writer.port.js';
import type { ConversationRecord } from './conversation-record.js';
import type { RunAccount } from '../run-account.js';
import type { RunGuard } from '../execution/run-guard.js';
import type { LeasedRun, RunEnd, RunLeaseStore } from '../execution/run-lease.store.js';
import { PromptPlans } from '../plans/prompt-plans.js';
import { RunPublisher } from './run-publisher.js';
import { RunScript } from './run-script.js';
import type { TableBuilder } from './table-builder.js';

const OUTPUT = {
  tables: [
    { key: 'firms', columns: [{ key: 'name' }] },
    { key: 'people', name: 'Our people', entity: 'person', max_rows: 7, columns: [{ key: 'full_name' }] },
  ],
};

interface Scene {
  /** Stored result of the previous run of the conversation. */
  readonly before?: unknown;
  readonly output?: Record<string, unknown> | null;
  /** Error that the guard throws between steps. */
  readonly stop?: Error;
}

/** Performs a run over fake ports. @returns its end, the plans that were built and the content of the journal */
async function perform(planner: Planner, { before, output = null, stop }: Scene = {}) {
  const built: RunPlan[] = [];
  const steps = new Map<string, unknown>();
  let end: RunEnd | null = null;
  const database = {
    queryOne: async () => (before === undefined ? null : { result: before }),
    transaction: async (_ctx: unknown, work: (tx: unknown) => Promise<unknown>) => work({}),
  } as unknown as Database;
  const tables = {
    listNames: async () => [],
    getTable: () => Promise.reject(new Error('Table not found.')),
    readRows: async function* () {
      yield [{ values: { name: 'A' } }, { values: { name: 'B' } }];
    },
    freezeTable: async () => ({ rowCount: 0, fitCounts: { qualified: 0, disqualified: 0, unknown: 0 } }),
  } as unknown as TableReaderPort & TableFreezerPort;
  const leases = {
    endRun: async (_tx: unknown, _run: unknown, how: RunEnd) => {
      end = how;
      return true;
    },
  } as unknown as RunLeaseStore;
  const account = { settleHold: async () => undefined, sumCharges: async () => 0 } as unknown as RunAccount;
  const monitorItems = { openMemory: async () => null, addItems: async () => undefined };
  const script = new RunScript(
    database,
    leases,
    new PromptPlans(database, planner, tables, { canSource: async () => false } as unknown as ResearchWebs),
    {
      buildTable: async (_run: unknown, _journal: unknown, _guard: unknown, { plan }: { plan: RunPlan }) => {
        built.push(plan);
        return {
          plan,
          ...plan.table,
          tableId: 'tbl_1',
          columns: [],
          counted: '3 of 15 companies.',
          summary: `Built ${plan.table.key}.`,
        };
      },
    } as unknown as TableBuilder,
    { readAnswer: async () => 'Nothing was searched for this.' } as unknown as ConversationRecord,
    new RunPublisher(database, leases, tables, tables, account, monitorItems),
  );
  const journal = {
    runStep: async (name: string, prepare: () => unknown, work: (input: unknown) => Promise<unknown>) => {
      const result = JSON.parse(JSON.stringify(await work(await prepare()))) as unknown;
      steps.set(name, result);
      return result;
    },
  } as unknown as StepJournal;
  const guard = {
    signal: new AbortController().signal,
    checkpoint: async () => {
      if (stop) throw stop;
    },
  } as unknown as RunGuard;
  const run = {
    id: 'run_1',
    ctx: { orgId: 'org_1', mode: 'live', requestId: 'spec' },
    workspaceId: 'ws_1',
    conversationId: 'conv_1',
    prompt: 'fintech companies',
    outputContract: output,
  } as unknown as LeasedRun;
  await script.performRun(run, journal, guard);
  return { end: end as RunEnd | null, built, stored: readStoredPlans(steps.get('plan')) };
}

const failing = (error: Error): Planner => ({ createPlan: () => Promise.reject(error) });

describe('a run of a prompt', () => {
  it('counts the rows of the output in its message, if the schema leaves out rows of the table', async () => {
    const property = (required: string[]) => ({
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, fax: { type: 'string' } }, required },
    });
    const output = (required: string[]) => ({
      schema: { type: 'object', properties: { companies: property(required), note: { type: 'string' } } },
    });
    const { end } = await perform(new FakePlanner(), { output: output(['name', 'fax']) });
    expect(end).toMatchObject({ output: { companies: [], note: end!.message } });
    expect(end!.message).toContain(
      'The output has no row; 2 of the table left out: the schema does not accept their values for “fax”.',
    );
    expect(end!.message).not.toContain('3 of 15');
    const whole = await perform(new FakePlanner(), { output: output(['name']) });
    expect(whole.end!.message).toContain('3 of 15 companies. Built companies.');
  });

  it.each([
    ['string', ['fintech', 'column shoe_size']],
    [['string', 'null'], ['fintech']],
  ])(
    'keeps paid columns waiting if its schema requires a value that nothing fills: %j',
    async (type, words) => {
      const row = { type: 'object', properties: { name: { type: 'string' }, shoe_size: { type } } };
      const items = { ...row, required: ['name', 'shoe_size'] };
      const output = { schema: { type: 'object', properties: { companies: { type: 'array', items } } } };
      const { stored } = await perform(new FakePlanner(), { output });
      expect(stored[0]!.unconfirmed?.words).toEqual(words);
      const continuing = new FakePlanner(() => ({ continues: true }));
      for (const output of [OUTPUT, undefined]) {
        const next = await perform(continuing, { before: stored, ...(output ? { output } : {}) });
        expect(next.stored[0]!.unconfirmed?.words).toEqual(['fintech']);
      }
    },
  );

  it('asks the planner once, also for several tables, and builds each of them', async () => {
    const planner = new FakePlanner();
    const { end, built, stored } = await perform(planner, { output: OUTPUT });
    expect(planner.requests).toHaveLength(1);
    expect(built.map(({ table, limit, entity }) => [table, limit, entity])).toEqual([
      [{ key: 'firms', name: 'Companies' }, 1000, 'company'],
      [{ key: 'people', name: 'Our people' }, 7, 'person'],
    ]);
    expect(stored.map(({ plan }) => plan)).toEqual(built);
    expect(end).toMatchObject({ status: 'completed', message: expect.stringContaining('Built people.') });
  });

  it('names the full key of each frozen table in its message, however long the keys are', async () => {
    const one = await perform(new FakePlanner());
    expect(one.end!.message).toContain('Key of the frozen table: “companies”. The run cost nothing.');
    const keys = Array.from({ length: 10 }, (_, n) => `${n}`.padStart(64, 'k'));
    const output = { tables: keys.map((key) => ({ key, columns: [{ key: 'name' }] })) };
    const { end } = await perform(new FakePlanner(), { output });
    expect(end!.message).toContain(`Keys of the frozen tables: ${keys.map((key) => `“${key}”`).join(', ')}.`);
    expect(end!.message.length).toBeLessThan(1_500);
  });

  it('makes no table for a prompt that describes no rows', async () => {
    const source = { kind: 'nothing', reason: 'no_rows_described' } as const;
    const { end, built } = await perform(new FakePlanner(() => ({ source })));
    expect(built).toEqual([]);
    expect(end?.message).toContain('no table was made');
  });

  it('gives the planner the previous intent, and none for a plan without one', async () => {
    const { stored } = await perform(new FakePlanner());
    const planner = new FakePlanner();
    await perform(planner, { before: stored });
    await perform(planner, { before: [{ ...stored[0], intent: null }] });
    expect(planner.requests.map(({ previous }) => previous?.intent ?? null)).toEqual([
      stored[0]!.intent,
      null,
    ]);
  });

  it('fails with its own code if the planner times out or returns an invalid plan', async () => {
    const late = failing(new PlanningTimeoutError('Late.'));
    await expect(perform(late)).rejects.toMatchObject({ code: 'agent_timeout' });
    const invented = new FakePlanner((): Partial<PlanIntent> => ({
      count: { value: 7, fragments: ['seven'], from: 'prompt' },
    }));
    await expect(perform(invented)).rejects.toMatchObject({
      code: 'agent_invalid_output',
      message: expect.stringContaining('"seven" is not in the prompt'),
    });
    for (const [why, code] of [
      ['invalid_output', 'agent_invalid_output'],
      ['unavailable', 'agent_execution_failed'],
    ] as const)
      await expect(perform(failing(new PlanningFailedError(why, 'No.')))).rejects.toMatchObject({
        code,
        message: 'No.',
      });
    const faults = ['filters.0.value: there is no industry "fintec"', 'b: two.', 'c: three', 'd: four'];
    await expect(
      perform(failing(new PlanningFailedError('invalid_output', 'No.', faults))),
    ).rejects.toMatchObject({
      message:
        'No. Refused: filters.0.value: there is no industry "fintec". Refused: b: two. Refused: c: three.',
    });
    const few: Planner = { createPlan: async () => ({ planner: 'rules', intents: [] }) };
    await expect(perform(few)).rejects.toMatchObject({ code: 'agent_invalid_output' });
  });

  it('hands the run back if the planner was stopped with the process', async () => {
    const stop = new Error('The process is stopping.');
    await expect(perform(failing(new Error('aborted')), { stop })).rejects.toBe(stop);
  });
});
