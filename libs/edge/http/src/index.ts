export { HttpEdgeEnv } from './http/http-edge.env.js';
export {
  createHttpApi,
  type HttpApi,
  type HttpServerOptions,
  type HttpTimeouts,
} from './http/create-http-api.js';
export { HttpEdgeModule, type HttpEdgeSettings } from './http/http-edge.module.js';
export { publicApi } from './http/public-api.js';
