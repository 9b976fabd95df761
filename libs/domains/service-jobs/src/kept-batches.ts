import type { Batch, JsonText } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { LRUCache } from 'lru-cache';

const BYTES_MAX = 8 * 1024 * 1024;
const TEXT_BYTES_MAX = 512 * 1024;
/** Processes of the previous version remove content without raising the revision; a cached text is stale for at most this time. */
const KEPT_MS = 60_000;

export interface KeptBatch {
  readonly revision: number;
  readonly json: JsonText<typeof Batch>;
}

/** Caches the texts of ended batches that were read lately. Their revision in the database tells whether a text is still valid. */
export class KeptBatches {
  private readonly texts = new LRUCache<string, KeptBatch>({
    ttl: KEPT_MS,
    maxSize: BYTES_MAX,
    maxEntrySize: TEXT_BYTES_MAX,
    // A character takes at most two bytes.
    sizeCalculation: ({ json }) => 2 * json.length,
  });

  findText(ctx: Ctx, batchId: string): KeptBatch | undefined {
    return this.texts.get(keyOf(ctx, batchId));
  }

  keepText(ctx: Ctx, batchId: string, batch: KeptBatch): void {
    this.texts.set(keyOf(ctx, batchId), batch);
  }
}

function keyOf({ orgId, mode }: Ctx, batchId: string): string {
  return `${orgId} ${mode} ${batchId}`;
}
