import { deepEqual, rejects } from 'node:assert/strict';
import {
  PlanningTimeoutError,
  readOutputContract,
  type ContractTable,
  type PlanAsk,
  type PlanIntent,
  type Planner,
  type PlannerLimits,
  type TableProfile,
} from '@quarry/plan';
import { compilePlan, intentFaults, readStoredPlans } from '@quarry/plan-compiler';
import { WRITTEN_PROMPTS } from './written-prompts.js';

/** One guarantee of the planner port, and its check. */
export interface PlannerPromise {
  readonly name: string;
  readonly isKept: () => Promise<void>;
}

const CTX = { orgId: 'org_spec', mode: 'live', requestId: 'spec' } as const;

const LEADS: TableProfile = {
  id: 'tbl_leads',
  name: 'Leads',
  rowCount: 3,
  columns: [
    { key: 'name', name: 'Full name', kind: 'text' },
    { key: 'town', name: 'City', kind: 'text' },
    { key: 'seats', name: 'Seats', kind: 'number' },
  ],
  values: { town: { values: ['Berlin', 'Oslo'], isComplete: true } },
};

const OUTPUT = {
  tables: [
    { key: 'firms', entity: 'company', max_rows: 5, columns: [{ key: 'name' }, { key: 'shoe_size' }] },
    {
      key: 'leads',
      name: 'Our leads',
      entity: 'person',
      columns: [
        { key: 'full_name', required: true },
        { key: 'fits', qualification: { criterion: 'Has 50 to 200 staff', effect: 'require' } },
      ],
    },
  ],
};

/** Short, long, and unreadable prompts. */
const PROMPTS = [
  ...WRITTEN_PROMPTS.map(([prompt]) => prompt),
  'From my table "Leads": those in Berlin, sorted by seats descending',
  'From my table "Nobody": CTOs',
  'asdf qwer',
  '???',
  '',
  'a'.repeat(5000),
];

/**
 * Returns the guarantees that every planner must satisfy for any prompt. The spec of each planner runs them all.
 * @param make creates a fresh planner
 */
export function plannerContract(make: () => Planner): PlannerPromise[] {
  return [
    {
      name: 'answers every prompt with valid intents that compile to a storable plan',
      isKept: async () => {
        for (const prompt of PROMPTS)
          for (const output of [[], readOutputContract(OUTPUT).tables])
            await checkPlans(make(), askOf(prompt, output));
      },
    },
    {
      name: 'is called once for all tables of the output contract, and keeps their order',
      isKept: async () => {
        const { tables } = readOutputContract(OUTPUT);
        const { intents } = await make().createPlan(
          askOf('fintech companies in Berlin and their CTOs', tables),
          CTX,
          within(),
        );
        deepEqual(
          intents.map(({ output_table }) => output_table),
          ['firms', 'leads'],
        );
      },
    },
    {
      name: 'continues a conversation with valid intents',
      isKept: async () => {
        const planner = make();
        const [first] = await checkPlans(planner, askOf('20 fintech companies in Berlin, not in Munich', []));
        const previous = first as CheckedPlan;
        for (const prompt of [
          'only those with 50 to 200 staff',
          'also in Paris',
          'their CEOs',
          'without website',
        ])
          await checkPlans(planner, { ...askOf(prompt, []), previous });
      },
    },
    {
      name: 'stops when its caller leaves, and when its time is over',
      isKept: async () => {
        const ask = askOf('fintech companies in Berlin', []);
        const reason = new Error('Nobody waits.');
        const stopped = { signal: AbortSignal.abort(reason), deadlineMs: Infinity };
        await rejects(make().createPlan(ask, CTX, stopped), (error) => error === reason);
        const late = { signal: new AbortController().signal, deadlineMs: 0 };
        await rejects(make().createPlan(ask, CTX, late), PlanningTimeoutError);
      },
    },
  ];
}

interface CheckedPlan {
  readonly intent: PlanIntent;
  readonly plan: ReturnType<typeof compilePlan>;
}

async function checkPlans(planner: Planner, ask: PlanAsk): Promise<CheckedPlan[]> {
  const { intents } = await planner.createPlan(ask, CTX, within());
  deepEqual(intents.length, Math.max(1, ask.output.length));
  return intents.map((intent, i) => {
    const output = ask.output[i] ?? null;
    const table = intent.source.kind === 'table' ? LEADS : null;
    deepEqual(
      { prompt: ask.prompt, faults: intentFaults(intent, { prompt: ask.prompt, output, table }) },
      { prompt: ask.prompt, faults: [] },
    );
    const plan = compilePlan(intent, { output, table });
    const stored = JSON.parse(JSON.stringify([{ intent, plan, shape: output }])) as unknown;
    deepEqual(readStoredPlans(stored)[0]?.plan, JSON.parse(JSON.stringify(plan)));
    return { intent, plan };
  });
}

function askOf(prompt: string, output: readonly ContractTable[]): PlanAsk {
  return {
    prompt,
    output,
    previous: null,
    tables: [LEADS],
    tableProfile: async () => LEADS,
    referenceYear: 2025,
  };
}

function within(): PlannerLimits {
  return { signal: new AbortController().signal, deadlineMs: Infinity };
}
