import type { Ctx } from '@quarry/app';
import type { OpenSession } from '@quarry/identity';
import type { LimitedKey } from '../limits/key-limiter.js';
import type { RoutePolicy } from '../policy/route-policy.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** On whose behalf the request acts; set once its key is known. */
    ctx: Ctx;
    /** The key that asks; set together with `ctx`. */
    key: LimitedKey;
    policy: RoutePolicy;
    /** The session of the browser; set below /app/api/ alone. */
    session?: OpenSession;
  }
}
