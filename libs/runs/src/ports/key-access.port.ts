import type { Ctx } from '@quarry/platform';

/** Narrow read of API keys, which belong to the edge room. */
export interface KeyAccessPort {
  isRevoked(ctx: Ctx, keyId: string): Promise<boolean>;
}
