import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  ApiError,
  type Batch,
  type CallOptions,
  type FreshOptions,
  type InputOf,
  type JobLine,
  type Quarry,
  type SlowService,
} from '@quarry/sdk';

type Batches = Quarry['batches'];
/** Batches by the key of their request, each with the hash of the request. */
type Accepted = Record<string, { batch_id: string; request_hash: string }>;

/** Prefix of the keys of requests for lines that have failed before. */
const AGAIN = 'again-';

/** Returns whether a line has failed for a temporary reason, such as used-up credits: it cost nothing, and can be sent again. */
export function mayPass(line: JobLine): boolean {
  return line.status === 'failed' && line.error.retryable;
}

/**
 * Returns the batches of a server, with a record of the accepted ones in a file. A list that is continued reads the batches of
 * its file, even when the server has forgotten their keys after 24 hours, and sends lines with temporary failures again.
 */
export function recordBatches(batches: Batches, path: string): Batches {
  const accepted = readAccepted(path);
  /** Requests to send failed lines again, by the batch that had failed lines before it was waited for. */
  const again = new Map<string, (failed: readonly JobLine[], options?: CallOptions) => Promise<Batch>>();
  const create = async (
    service: SlowService,
    inputs: readonly InputOf<SlowService>[],
    options: FreshOptions,
  ) => {
    const batch = await accept(service, inputs, options);
    if (batch.jobs.some(mayPass))
      again.set(batch.batch_id, async (failed, waiting) => {
        const idempotencyKey = `${AGAIN}${hashOf(failed.map(({ job_id: id }) => id)).slice(0, 32)}`;
        const anew = failed.map(({ input_index: at }) => inputs[at]!);
        return wait((await create(service, anew, { ...options, idempotencyKey })).batch_id, waiting);
      });
    return batch;
  };
  const wait = async (id: string, options?: CallOptions): Promise<Batch> => {
    const batch = await batches.wait(id, options);
    const failed = batch.jobs.filter(mayPass);
    const second = failed.length === 0 ? null : await again.get(id)?.(failed, options).catch(nullIfRefused);
    for (const line of second?.jobs ?? []) {
      const { input_index: at } = failed[line.input_index]!;
      batch.jobs[batch.jobs.findIndex((each) => each.input_index === at)] = { ...line, input_index: at };
    }
    return batch;
  };
  const accept = async (
    service: SlowService,
    inputs: readonly InputOf<SlowService>[],
    options: FreshOptions,
  ): Promise<Batch> => {
    const { idempotencyKey: key = '', isFresh } = options;
    const hash = hashOf({ service, inputs, isFresh });
    const known = accepted[key];
    const batch = known?.request_hash === hash ? await findBatch(batches, known.batch_id) : null;
    if (batch) return batch;
    const made = await batches.create(service, inputs, options);
    accepted[key] = { batch_id: made.batch_id, request_hash: hash };
    writeFileSync(path, JSON.stringify(accepted), { mode: 0o600 });
    return made;
  };
  return Object.create(batches, { create: { value: create }, wait: { value: wait } }) as Batches;
}

/**
 * Deletes the record of a finished list, unless lines were sent again: the first answers of their batches still contain the
 * failures.
 */
export function forgetBatches(path: string): void {
  if (!Object.keys(readAccepted(path)).some((key) => key.startsWith(AGAIN))) rmSync(path, { force: true });
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Without credits the lines keep their failures. */
function nullIfRefused(error: unknown): null {
  if (error instanceof ApiError && error.status === 402) return null;
  throw error;
}

/** @returns null for a batch that was deleted, or belongs to another server */
async function findBatch(batches: Batches, id: string) {
  try {
    return await batches.get(id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** A file that was cut off while being written counts as missing: the keys of the server still apply. */
function readAccepted(path: string): Accepted {
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Accepted;
  } catch {
    return {};
  }
}
