import type { Ctx } from '@quarry/app';

/** Narrow read access to API keys, which the identity library owns. */
export abstract class GoKeyAccessPort {
  abstract isKeyRevoked(ctx: Ctx, keyId: string): Promise<boolean>;
}
