export { HttpEdgeModule, type HttpEdgeSettings } from './http-edge.module.js';
export { publicApi } from './public-api.js';
