import type { Ctx } from '@quarry/platform';
import type { LimitedKey } from '../limits/key-limiter.js';
import type { RoutePolicy } from './route-policy.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** On whose behalf the request acts; set once its key is known. */
    ctx: Ctx;
    /** The key that asks; set together with `ctx`. */
    key: LimitedKey;
    policy: RoutePolicy;
  }
}
