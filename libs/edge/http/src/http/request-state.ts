import type { Ctx } from '@quarry/app';
import type { UserRole } from '@quarry/dto';
import type { OpenSession } from '@quarry/identity';
import type { LimitedKey } from '../limits/key-limiter.js';
import type { RoutePolicy } from '../policy/route-policy.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Tenant and caller of the request; set when its key is known. */
    ctx: Ctx;
    /** The key of the request; set together with `ctx`. */
    key: LimitedKey;
    policy: RoutePolicy;
    /** Role of the caller; set together with `ctx`. */
    role: UserRole;
    /** The session of the browser; set only below /app/api/. */
    session?: OpenSession;
  }
}
