import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ApiError, type FreshOptions, type InputOf, type Quarry, type SlowService } from '@quarry/sdk';

type Batches = Quarry['batches'];
/** Batches by the key of their request, each with the hash of the request. */
type Accepted = Record<string, { batch_id: string; request_hash: string }>;

/**
 * Returns the batches of a server, with a record in a file of those that were accepted. A list that goes on reads those of its file, also when the
 * server has forgotten their keys after 24 hours, as long as it keeps the batches.
 */
export function recordBatches(batches: Batches, path: string): Batches {
  const accepted = readAccepted(path);
  const create = async (
    service: SlowService,
    inputs: readonly InputOf<SlowService>[],
    options: FreshOptions,
  ) => {
    const { idempotencyKey: key = '', isFresh } = options;
    const hash = createHash('sha256').update(JSON.stringify({ service, inputs, isFresh })).digest('hex');
    const known = accepted[key];
    const batch = known?.request_hash === hash ? await findBatch(batches, known.batch_id) : null;
    if (batch) return batch;
    const made = await batches.create(service, inputs, options);
    accepted[key] = { batch_id: made.batch_id, request_hash: hash };
    writeFileSync(path, JSON.stringify(accepted), { mode: 0o600 });
    return made;
  };
  return Object.create(batches, { create: { value: create } }) as Batches;
}

/** @returns null for one that is not kept any more, or is of another server */
async function findBatch(batches: Batches, id: string) {
  try {
    return await batches.get(id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** A file that was cut off while it was written counts as none: then the keys of the server are what there is. */
function readAccepted(path: string): Accepted {
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Accepted;
  } catch {
    return {};
  }
}
