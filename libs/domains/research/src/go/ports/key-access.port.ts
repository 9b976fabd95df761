import type { Ctx } from '@quarry/app';

/** Narrow read of API keys, which belong to the identity library. */
export abstract class GoKeyAccessPort {
  abstract isRevoked(ctx: Ctx, keyId: string): Promise<boolean>;
}
