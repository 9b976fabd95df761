import type { Batch, JsonText } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { LRUCache } from 'lru-cache';

const BYTES_MAX = 8 * 1024 * 1024;
const TEXT_BYTES_MAX = 512 * 1024;
/** A process of the version before takes lines out without counting: what it has taken out is shown for so long at most. */
const KEPT_MS = 60_000;

export interface KeptBatch {
  readonly revision: number;
  readonly json: JsonText<typeof Batch>;
}

/** Texts of ended batches that were read lately. The database says whether one is still the text, by its revision. */
export class KeptBatches {
  private readonly texts = new LRUCache<string, KeptBatch>({
    ttl: KEPT_MS,
    maxSize: BYTES_MAX,
    maxEntrySize: TEXT_BYTES_MAX,
    // A character takes two bytes at most.
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
