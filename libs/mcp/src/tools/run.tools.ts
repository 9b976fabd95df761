import { setTimeout as delay } from 'node:timers/promises';
import { parseResource, RUNS_RPC, type RunJson } from '@quarry/dto';
import { requireId } from '@quarry/platform';
import { z } from 'zod';
import type { ToolCall } from '../tool-call.js';
import { defineTool, EFFECTS } from '../tool.js';
import { args, id, keyOf, spending, waitSeconds } from './arguments.js';

/** A run is not held by its service: it is read again after so long while somebody waits, later less often. */
const READ_AFTER_MS = [500, 1_000, 1_000, 2_000, 3_000, 5_000] as const;
const STATUSES = ['queued', 'running', 'recovering', 'completed', 'failed', 'cancelled'] as const;
const OPEN: ReadonlySet<string> = new Set(['queued', 'running', 'recovering']);

const RUN = args({
  run_id: z.string(),
  workspace_id: z.string(),
  conversation_id: z.string().describe('Name it in the next start to go on from this run.'),
  status: z.enum(STATUSES),
  message: z
    .string()
    .describe('What was understood, found and left out, what it cost, and the keys of the tables.'),
  tables: z.array(z.record(z.string(), z.unknown())).describe('table_id, name, effect.'),
  output: z.unknown().describe('What an output contract asked for; else null.'),
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
    'Starts a run that turns a prompt in plain words ("30 fintech companies in Berlin with the e-mail of their head of marketing") into a table of companies or people, and returns a run_id at once; follow it with retriever_build_list_get, also in a later session. Finding rows is free; columns that a paid service fills are charged line by line. Name conversation_id to refine the list of an earlier run.',
  input: args({
    prompt: z
      .string()
      .min(1)
      .max(20_000)
      .describe('What is wanted: whom, where, how many, and which columns.'),
    workspace_id: id('Where its tables go; left out, a workspace is made.').optional(),
    conversation_id: id('Goes on from the last run of this conversation.').optional(),
    output: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Output contract: {"schema": JSON Schema} or {"tables": […]}.'),
    wait_seconds: waitSeconds,
    ...spending,
  }),
  output: RUN,
  effects: EFFECTS.spends,
  rateClass: 'heavy',
  style: 'resources',
  holdsForeignText: true,
  charge: 'nothing for rows; the price of the service for each line of a paid column',
  spend: async ({ prompt, workspace_id, conversation_id, output }, call) => {
    const body = bodyOf({ prompt, workspace_id, conversation_id, output });
    const plan = parseResource(await call.ask(RUNS_RPC.createPlan, { body }));
    const { rows, credits_max: max } = plan.estimate;
    return {
      worstCase: max,
      what: `up to ${rows} rows with paid columns`,
      estimate: { rows, max },
      planId: plan.id,
    };
  },
  async run({ wait_seconds: seconds, prompt, workspace_id, conversation_id, output, ...rest }, call, planId) {
    const body = bodyOf({ prompt, workspace_id, conversation_id, output });
    // What was priced is what runs. A key belongs to what was asked for: each call makes a plan of its own.
    const { id: made, json } = await call.ask(RUNS_RPC.createRunOfPlan, {
      planId: planId!,
      request: body,
      idempotencyKey: keyOf(rest),
    });
    call.begun();
    return shown(seconds === 0 ? (JSON.parse(json) as RunJson) : await followed(made, seconds, call));
  },
});

export const retrieverBuildListGet = defineTool({
  name: 'retriever_build_list_get',
  title: 'Follow a run',
  description:
    'Reads a run: status, what it says, and its tables. With wait_seconds it answers when the run has ended, or when the wait is over; call again until status is completed, failed or cancelled. Then read rows with table_rows_get.',
  input: args({ run_id: runId, wait_seconds: waitSeconds }),
  output: RUN,
  effects: EFFECTS.reads,
  rateClass: 'reads',
  style: 'resources',
  holdsForeignText: true,
  charge: 'free',
  spend: null,
  run: async ({ run_id, wait_seconds: seconds }, call) =>
    shown(await followed(requireId('run', run_id), seconds, call)),
});

export const retrieverBuildListCancel = defineTool({
  name: 'retriever_build_list_cancel',
  title: 'Cancel a run',
  description:
    'Ends a run at its next step; the tables that it has built so far stay. One that has ended stays as it is.',
  input: args({ run_id: runId }),
  output: RUN,
  effects: EFFECTS.ends,
  rateClass: 'reads',
  style: 'resources',
  holdsForeignText: true,
  charge: 'free',
  spend: null,
  async run({ run_id }, call) {
    const { json } = await call.ask(RUNS_RPC.cancelRun, { runId: requireId('run', run_id) });
    return shown(JSON.parse(json) as RunJson);
  },
});

/** A field that was not given is not in the body: its hash tells requests apart. */
function bodyOf(fields: {
  prompt: string;
  workspace_id?: string | undefined;
  conversation_id?: string | undefined;
  output?: Record<string, unknown> | undefined;
}) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { prompt: string } & Record<string, never>;
}

function followed(runIdText: string, seconds: number, call: ToolCall): Promise<RunJson> {
  let told = '';
  const read = async () => (await call.read(RUNS_RPC.getRun, { runId: runIdText })) as unknown as RunJson;
  let reads = 0;
  return call.until<RunJson>(
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
      if (state !== told)
        await call.progress?.(
          artifacts.length,
          artifacts.length + 1,
          `The run is ${status}; tables: ${artifacts.length}.`,
        );
      told = state;
      return OPEN.has(status) ? 'goes on' : 'ended';
    },
  );
}

function shown(run: RunJson) {
  return {
    run_id: run.id,
    workspace_id: run.workspace_id,
    conversation_id: run.conversation_id,
    status: run.status,
    message: run.message,
    tables: run.artifacts.map(({ id: tableId, name, effect }) => ({ table_id: tableId, name, effect })),
    output: run.output ?? null,
    error: run.error,
    app_url: run.links.app,
  };
}
