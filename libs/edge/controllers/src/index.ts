export { HttpEdgeModule } from './http-edge.module.js';
export { publicApi } from './public-api.js';
