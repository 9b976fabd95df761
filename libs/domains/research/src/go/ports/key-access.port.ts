import type { Ctx } from '@quarry/app';

/** Narrow read of API keys, which belong to the identity library. */
export abstract class GoKeyAccessPort {
  abstract isKeyRevoked(ctx: Ctx, keyId: string): Promise<boolean>;
}
