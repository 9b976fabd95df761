import { JOB_STATUSES, SERVICES_RPC, type JobStatus } from '@quarry/dto';
import { requireId } from '@quarry/app';
import { findSlowService, inputFaults } from '@quarry/service-catalog';
import { z } from 'zod';
import { countFitting } from '../answer-size.js';
import { creditsOf, sumOfCredits } from '../credits.js';
import { FREE_HAND_CREDITS } from '../confirmation.js';
import type { ToolCall } from '../tool-call.js';
import { defineTool, EFFECTS, FREE, type Spend } from '../tool.js';
import { args, cursor, id, keyOf, limit, paged, spending, waitSeconds } from './arguments.js';

/** Seconds that each read of a wait is held: after a client has disconnected, reading continues no longer than this. */
const SLICE_SECONDS = 10;
/** Seconds for clients that requested progress: at most one message per second. */
const PROGRESS_SECONDS = 1;
/** Larger than the number of ledger entries of a batch: each job is charged once. */
const LEDGER_MAX = 1000;
const LINES_MAX = 100;

interface Line {
  job_id: string;
  input_index: number;
  status: JobStatus;
  reused: boolean;
  result?: unknown;
  error?: unknown;
  [field: string]: unknown;
}

/** Batch as its route returns it. */
interface Batch {
  batch_id: string;
  service: string;
  size: number;
  status: 'queued' | 'running' | 'completed';
  counts: Record<JobStatus, number>;
  jobs: Line[];
}

const BATCH = args({
  batch_id: z.string(),
  service: z.string(),
  size: z.int(),
  status: z.enum(['queued', 'running', 'completed']),
  counts: z.record(z.enum(JOB_STATUSES), z.int()),
  jobs: z
    .array(z.record(z.string(), z.unknown()))
    .describe('job_id, input_index, status, reused, result or error'),
  charged: z.number().nullable().describe('Credits so far; null when they cannot be read at the moment.'),
  truncated: z.boolean().optional(),
  more: z.string().optional(),
  ...paged,
});

const batchId = id('batch_id of service_batch_execute. Valid for 30 days.');

export const serviceBatchExecute = defineTool({
  name: 'service_batch_execute',
  title: 'Start a batch',
  description:
    'Starts a slow service (getEmail, getPhoneNumber, webResearch, getLinkedInUserComments, getLinkedInUserReactions) over 1 to 100 inputs and returns a batch_id at once; follow it with service_batch_get, also in a later session. One invalid input rejects the whole list. Call service_estimate first.',
  input: args({
    service: id('Name of a slow service.'),
    inputs: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(100)
      .describe('Each matches its input schema; answers keep this order.'),
    fresh: z.boolean().default(false).describe('Search again, and pay, even when a recent answer exists.'),
    wait_seconds: waitSeconds,
    ...spending,
  }),
  // Same as for service_batch_get.
  output: null,
  effects: EFFECTS.spends,
  rateClass: 'reads',
  style: 'resources',
  holdsForeignText: true,
  charge: 'the price of each line with a result; reused and failed lines are free',
  spend: ({ service, inputs, fresh }, call) => spendOf(service, inputs, fresh, call),
  async run({ service, inputs, fresh, wait_seconds: seconds, ...rest }, call) {
    const made = await call.callRpc(SERVICES_RPC.createBatch, {
      service,
      inputs,
      fresh,
      idempotencyKey: keyOf(rest),
    });
    const first = JSON.parse(made.json) as Batch;
    // The batch exists: a failed read must not look like a batch that was not created, which an agent would create again.
    const batch =
      made.done || seconds === 0 ? first : await followBatch(made.batchId, seconds, call).catch(() => first);
    return toBatchAnswer(batch, { status: null, limit: LINES_MAX, cursor: undefined }, call);
  },
});

export const serviceBatchGet = defineTool({
  ...FREE,
  name: 'service_batch_get',
  title: 'Follow a batch',
  description:
    'Reads a batch: status, counts, a page of its lines with their results, and what it has cost so far. With wait_seconds it waits for the last line to end; call again until status is completed.',
  input: args({
    batch_id: batchId,
    wait_seconds: waitSeconds,
    status: z.enum(JOB_STATUSES).optional().describe('Only lines with this status.'),
    limit: limit(LINES_MAX, LINES_MAX),
    cursor,
  }),
  output: BATCH,
  effects: EFFECTS.reads,
  holdsForeignText: true,
  async run({ batch_id, wait_seconds: seconds, status = null, limit: most, cursor: from }, call) {
    const batch = await followBatch(requireId('svcbatch', batch_id), seconds, call);
    return toBatchAnswer(batch, { status, limit: most, cursor: from }, call);
  },
});

export const serviceBatchCancel = defineTool({
  ...FREE,
  name: 'service_batch_cancel',
  title: 'Cancel a batch',
  description:
    'Cancels the waiting lines of a batch; lines in progress finish and are charged. Repeating the call changes nothing.',
  input: args({ batch_id: batchId }),
  effects: EFFECTS.ends,
  holdsForeignText: true,
  async run({ batch_id }, call) {
    const json = await call.callRpc(SERVICES_RPC.cancelBatch, { batchId: requireId('svcbatch', batch_id) });
    return toBatchAnswer(
      JSON.parse(json) as Batch,
      { status: null, limit: LINES_MAX, cursor: undefined },
      call,
    );
  },
});

/** Returns the sum of all prices as the limit; only if it is large, reusable results are taken into account. */
async function spendOf(
  name: string,
  inputs: Array<Record<string, unknown>>,
  fresh: boolean,
  call: ToolCall,
): Promise<Spend | null> {
  const service = findSlowService(name);
  // The call itself will be rejected with the reason, free of charge, so there is nothing to confirm.
  if (!service || inputs.some((input) => inputFaults(service, input).length > 0)) return null;
  const prices = inputs.map((input) =>
    service.worstCase(service.input.parse(input) as Record<string, unknown>),
  );
  const most = creditsOf(prices.reduce((sum, price) => sum + price, 0));
  const what = `${inputs.length} × ${name}`;
  if (most <= FREE_HAND_CREDITS || fresh) return { worstCase: most, what, estimate: { max: most } };
  const estimate = await call.readRpc(SERVICES_RPC.estimate, { service: name, inputs });
  return { worstCase: estimate.max as number, what, estimate };
}

/** Polls until the last job has ended, and reports progress if the client requested it. */
function followBatch(id: string, seconds: number, call: ToolCall): Promise<Batch> {
  const slice = call.progress ? PROGRESS_SECONDS : SLICE_SECONDS;
  let lastReported = -1;
  return call.pollUntil<Batch>(
    seconds,
    async (left) =>
      (await call.readRpc(SERVICES_RPC.getBatch, {
        batchId: id,
        waitSeconds: Math.min(left, slice),
      })) as unknown as Batch,
    async ({ status, counts, size }) => {
      const ended = size - counts.queued - counts.running;
      if (ended > lastReported) await call.progress?.(ended, size, `${ended} of ${size} lines have ended.`);
      lastReported = ended;
      return status === 'completed' ? 'ended' : 'goes on';
    },
  );
}

async function toBatchAnswer(
  { jobs, batch_id, service, size, status, counts }: Batch,
  page: { status: JobStatus | null; limit: number; cursor: string | undefined },
  call: ToolCall,
) {
  const of = { batch: batch_id, status: page.status };
  const from = call.cursors.positionOf(call.ctx, 'service_batch_get', of, page.cursor);
  const wanted = jobs.filter(
    (line) => line.input_index >= from && (page.status === null || line.status === page.status),
  );
  const lines = wanted.slice(0, page.limit).map(shownLine);
  const head = {
    batch_id,
    service,
    size,
    status,
    counts,
    charged: await chargedFor({ batch_id, jobs }, call).catch(() => null),
  };
  const fits = countFitting(lines, head);
  const next = wanted[fits];
  return {
    ...head,
    jobs: lines.slice(0, fits),
    next_cursor: next ? call.cursors.cursorAt(call.ctx, 'service_batch_get', of, next.input_index) : null,
  };
}

function shownLine({ job_id, input_index, status, reused, result, error }: Line) {
  return {
    job_id,
    input_index,
    status,
    reused,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * Returns the charge from the ledger, since jobs do not contain their own. Jobs that have ended after the batch was read
 * are omitted, so that the sum matches the counts.
 */
async function chargedFor(
  { batch_id: batchId, jobs }: Pick<Batch, 'batch_id' | 'jobs'>,
  call: ToolCall,
): Promise<number> {
  const open = new Set(
    jobs.flatMap(({ status, job_id }) => (status === 'queued' || status === 'running' ? [job_id] : [])),
  );
  const { items } = await call.readRpc(SERVICES_RPC.listLedger, {
    limit: LEDGER_MAX,
    cursor: null,
    service: null,
    batchId,
    runId: null,
  });
  const charges = (items as Array<{ amount: number; job_id: string | null }>).filter(
    ({ job_id: jobId }) => jobId === null || !open.has(jobId),
  );
  // Charges are negative amounts. `|| 0` converts -0 to 0.
  return sumOfCredits(charges.map(({ amount }) => amount)) * -1 || 0;
}
