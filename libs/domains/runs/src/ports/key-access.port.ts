import type { Ctx } from '@quarry/app';

/** Narrow read of API keys, which belong to the edge library. */
export abstract class KeyAccessPort {
  abstract isKeyRevoked(ctx: Ctx, keyId: string): Promise<boolean>;
}
