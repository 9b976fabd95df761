import { setTimeout as delay } from 'node:timers/promises';
import { parseResource, RUNS_RPC, TABLES_RPC, type PlanJson, type RunJson } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { requireId } from '@quarry/app';
import { formatCount } from '@quarry/service-catalog';
import { z } from 'zod';
import type { ToolCall } from '../tool-call.js';
import { defineTool, EFFECTS, FREE } from '../tool.js';
import { args, id, keyOf, spending, waitSeconds } from './arguments.js';

/** Polling intervals in milliseconds: the service does not hold reads of a run, so it is polled, less often over time. */
const READ_AFTER_MS = [500, 1_000, 1_000, 2_000, 3_000, 5_000] as const;
const STATUSES = ['queued', 'running', 'recovering', 'completed', 'failed', 'cancelled'] as const;
const OPEN: ReadonlySet<string> = new Set(['queued', 'running', 'recovering']);

const RUN = args({
  run_id: z.string(),
  workspace_id: z.string(),
  conversation_id: z.string(),
  status: z.enum(STATUSES),
  message: z.string().describe('What was found and left out, and the cost.'),
  understood: z.array(z.record(z.string(), z.unknown())).describe('fragment of the prompt, its reading'),
  not_understood: z.array(z.string()),
  tables: z
    .array(z.record(z.string(), z.unknown()))
    .describe('id (table_id), key (table_key), name, row_count'),
  output: z.unknown(),
  error: z.union([z.record(z.string(), z.unknown()), z.null()]),
  app_url: z.string(),
  truncated: z.boolean().optional(),
  more: z.string().optional(),
});

const runId = id('run_id of retriever_build_list_start.');

export const retrieverBuildListStart = defineTool({
  name: 'retriever_build_list_start',
  title: 'Build a list',
  description:
    'Starts a run that turns a prompt in plain words ("30 fintech companies in Berlin with the e-mail of their head of marketing") into a table of companies or people, and returns a run_id at once; follow it with retriever_build_list_get, also in a later session. Finding rows is free; columns filled by a paid service are charged line by line. plan_only shows how the prompt would be read and what it can cost, free.',
  input: args({
    prompt: z
      .string()
      .min(1)
      .max(20_000)
      .regex(/\S/, 'must not be blank')
      .describe('What you want: whom, where, how many, and which columns.'),
    workspace_id: id('Workspace for its tables; omitted, a new one is created.').optional(),
    conversation_id: id('Conversation of an earlier run, to refine its list.').optional(),
    output: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Output contract: {"schema": JSON Schema} or {"tables": […]}.'),
    plan_only: z.boolean().default(false).describe('Only read the prompt; nothing is searched or charged.'),
    plan_id: id(
      'Runs the plan that plan_only returned; omit workspace_id, conversation_id and output.',
    ).optional(),
    wait_seconds: waitSeconds,
    ...spending,
  }),
  // Same as for retriever_build_list_get; plan_only returns plan_id and estimate instead of a run.
  output: null,
  effects: EFFECTS.spends,
  rateClass: 'heavy',
  style: 'resources',
  holdsForeignText: true,
  charge: 'rows are free; each line of a paid column costs the price of its service',
  spend: async ({ plan_only: isPlanOnly, ...wanted }, call) => {
    if (isPlanOnly) return null;
    const plan = await planOf(wanted, call);
    const { rows, credits_max: max } = plan.estimate;
    return {
      worstCase: max,
      what: `up to ${formatCount(rows, 'row')} with paid columns`,
      estimate: { rows, max },
      plan,
    };
  },
  async run({ wait_seconds: seconds, plan_only: isPlanOnly, ...wanted }, call, priced) {
    if (isPlanOnly) return toPlanAnswer(await planOf(wanted, call, keyOf(wanted)));
    // The priced plan is executed. A key belongs to its request: each call creates a plan of its own.
    const plan = priced!;
    const { id: made, json } = await call.callRpc(RUNS_RPC.createRunOfPlan, {
      planId: plan.id,
      request: { ...bodyOf(wanted), ...(wanted.plan_id === undefined ? {} : { plan_id: wanted.plan_id }) },
      idempotencyKey: keyOf(wanted),
    });
    call.detach();
    const first = JSON.parse(json) as RunJson;
    // The run exists: a failed read must not look like a run that was not started, which an agent would start again.
    const run = seconds === 0 ? first : await followRun(made, seconds, call).catch(() => first);
    return { ...(await toRunAnswer(run, call)), ...readingOf(plan) };
  },
});

export const retrieverBuildListGet = defineTool({
  ...FREE,
  name: 'retriever_build_list_get',
  title: 'Follow a run',
  description:
    'Reads a run: status, message and tables. With wait_seconds it waits for the run to end; call again until status is completed, failed or cancelled. Then read rows with table_rows_get.',
  input: args({ run_id: runId, wait_seconds: waitSeconds }),
  output: RUN,
  effects: EFFECTS.reads,
  holdsForeignText: true,
  run: async ({ run_id, wait_seconds: seconds }, call) =>
    toRunAnswer(await followRun(requireId('run', run_id), seconds, call), call),
});

export const retrieverBuildListCancel = defineTool({
  ...FREE,
  name: 'retriever_build_list_cancel',
  title: 'Cancel a run',
  description:
    'Cancels a run at its next step; tables built so far stay. A run that has ended does not change.',
  input: args({ run_id: runId }),
  effects: EFFECTS.ends,
  holdsForeignText: true,
  async run({ run_id }, call) {
    const { json } = await call.callRpc(RUNS_RPC.cancelRun, { runId: requireId('run', run_id) });
    return toRunAnswer(JSON.parse(json) as RunJson, call);
  },
});

interface Wanted {
  prompt: string;
  workspace_id?: string | undefined;
  conversation_id?: string | undefined;
  output?: Record<string, unknown> | undefined;
  plan_id?: string | undefined;
}

/**
 * @param idempotencyKey with which a new plan is created once
 * @returns the named plan, else a new one
 * @throws AppError invalid_request for a plan of another prompt, or one given together with fields that it already contains
 */
async function planOf(
  wanted: Wanted,
  call: ToolCall,
  idempotencyKey: string | null = null,
): Promise<PlanJson> {
  const body = bodyOf(wanted);
  if (wanted.plan_id === undefined)
    return parseResource(await call.callRpc(RUNS_RPC.createPlan, { body, idempotencyKey }));
  const beside = Object.keys(body).find((field) => field !== 'prompt');
  if (beside) throw new AppError('invalid_request', `${beside}: the plan already has it; omit it.`);
  const planId = requireId('plan', wanted.plan_id);
  const plan = parseResource(await call.callRpc(RUNS_RPC.getPlan, { planId }));
  if (plan.prompt !== wanted.prompt)
    throw new AppError('invalid_request', 'plan_id: that plan belongs to another prompt.');
  return plan;
}

/** Returns the body without fields that were not given: its hash identifies the request. */
function bodyOf({ prompt, workspace_id, conversation_id, output }: Wanted) {
  const fields = Object.entries({ prompt, workspace_id, conversation_id, output });
  const given = fields.filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { prompt: string } & Record<string, never>;
}

function readingOf({ understood, not_understood }: PlanJson) {
  return { understood, not_understood };
}

function toPlanAnswer(plan: PlanJson) {
  const { rows, credits_max: most } = plan.estimate;
  return {
    status: 'planned' as const,
    message: [
      `Nothing has run yet. This would return at most ${formatCount(rows, 'row')} and cost at most ${formatCount(most, 'credit')}.`,
      ...plan.notes,
      'To run this plan, repeat the call with this plan_id and without plan_only.',
    ].join(' '),
    plan_id: plan.id,
    ...readingOf(plan),
    estimate: { rows, max: most },
    tables: [],
    output: null,
    error: null,
  };
}

function followRun(runIdText: string, seconds: number, call: ToolCall): Promise<RunJson> {
  let lastReported = '';
  const read = async () => (await call.readRpc(RUNS_RPC.getRun, { runId: runIdText })) as unknown as RunJson;
  let reads = 0;
  return call.pollUntil<RunJson>(
    seconds,
    async (left, signal) => {
      const pauseMs = READ_AFTER_MS[Math.min(reads, READ_AFTER_MS.length) - 1] ?? 0;
      reads += 1;
      if (pauseMs > 0 && left > 0)
        await delay(Math.min(pauseMs, left * 1_000), undefined, { signal }).catch(() => undefined);
      return read();
    },
    async ({ status, artifacts }) => {
      const state = `${status} ${artifacts.length}`;
      if (state !== lastReported)
        await call.progress?.(
          artifacts.length,
          artifacts.length + 1,
          `The run is ${status}; tables: ${artifacts.length}.`,
        );
      lastReported = state;
      return OPEN.has(status) ? 'goes on' : 'ended';
    },
  );
}

async function toRunAnswer(run: RunJson, call: ToolCall) {
  const { tables, ...reading } = await call.callRpc(RUNS_RPC.getRunReading, { runId: run.id });
  const keys = new Map(tables.map(({ table_id: tableId, key }) => [tableId, key]));
  return {
    run_id: run.id,
    workspace_id: run.workspace_id,
    conversation_id: run.conversation_id,
    status: run.status,
    message: run.message,
    ...reading,
    tables: await Promise.all(
      run.artifacts.map(async ({ id: tableId, name }) => {
        const { row_count } = await call.readRpc(TABLES_RPC.getTable, { tableId });
        return { id: tableId, key: keys.get(tableId) ?? null, name, row_count };
      }),
    ),
    output: run.output ?? null,
    error: run.error,
    app_url: run.links.app,
  };
}
