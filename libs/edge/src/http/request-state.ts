import type { Ctx } from '@quarry/platform';
import type { RoutePolicy } from './route-policy.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** On whose behalf the request acts; set once its key is known. */
    ctx: Ctx;
    policy: RoutePolicy;
  }
}
