export { HttpEdgeEnv } from './http/http-edge.env.js';
export {
  createHttpApi,
  type HttpApi,
  type HttpApiOptions,
  type HttpTimeouts,
} from './http/create-http-api.js';
export { openHttpEdge, type HttpEdge, type HttpEdgeOptions } from './http/open-http-edge.js';
export { publicApi } from './openapi/public-api.js';
export { IdentityError } from './identity/identity.error.js';
export {
  IdentityStore,
  type ApiKeyRecord,
  type CreatedKey,
  type CreatedOrganisation,
  type CreatedUser,
} from './identity/identity.store.js';
