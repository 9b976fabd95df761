export { IdentityApiModule, IdentityModule } from './identity.module.js';
export {
  IdentityStore,
  type ApiKeyRecord,
  type CreatedKey,
  type CreatedOrganisation,
} from './identity.store.js';
export { randomBase62 } from './keys/base62.js';
export { identityKeySource } from './keys/identity-key-source.js';
export { KEY_CACHE_TTL_MS, KeyAuthenticator, type KeySource } from './keys/key-authenticator.js';
export { KeyCapsPort, type KeyCaps } from './keys/key-caps.port.js';
export { createLoginLink } from './sessions/login-link.js';
export { SessionFinder, type OpenSession } from './sessions/session-finder.js';
