import type { Ctx } from '@quarry/app';

/** Tells whether an API key is revoked. Keys belong to the identity library. */
export abstract class KeyAccessPort {
  abstract isKeyRevoked(ctx: Ctx, keyId: string): Promise<boolean>;
}
