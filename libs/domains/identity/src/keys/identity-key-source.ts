import { systemCtx } from '@quarry/app';
import type { IdentityStore } from '../identity.store.js';
import type { KeySource } from './key-authenticator.js';

/**
 * Reads keys from the identity store.
 * @param onNoteFailed called if a use could not be recorded: the request continues nevertheless
 */
export function identityKeySource(store: IdentityStore, onNoteFailed: (error: unknown) => void): KeySource {
  const ctx = systemCtx('authentication');
  return {
    findKey: (publicId) => store.findKey(ctx, publicId),
    noteKeyUse: (keyId) => void store.noteKeyUse(ctx, keyId).catch(onNoteFailed),
  };
}
