export { IdentityError } from './identity/identity.error.js';
export {
  IdentityStore,
  type ApiKeyRecord,
  type CreatedKey,
  type CreatedOrganisation,
  type CreatedUser,
} from './identity/identity.store.js';
export { newPassword, verifyPassword } from './identity/password.js';
export { newApiKey, parseApiKey, type KeyMode, type ParsedApiKey } from './keys/api-key.format.js';
export { identityKeySource } from './keys/identity-key-source.js';
export { type KeySource } from './keys/key-authenticator.js';
export { ClientAddress } from './limits/client-address.js';
export { FallbackRateLimitStore } from './limits/fallback-rate-limit.store.js';
export { MemoryRateLimitStore } from './limits/memory-rate-limit.store.js';
export { RedisRateLimitStore } from './limits/redis-rate-limit.store.js';
export type { RateLimitStore, RateRequest, RateVerdict } from './limits/rate-limit.store.js';
export {
  createHttpApi,
  type HttpApi,
  type HttpApiOptions,
  type HttpTimeouts,
} from './http/create-http-api.js';
export type { ReadinessChecks } from './http/tokens.js';
