export { HttpEdgeEnv } from './http/http-edge.env.js';
export { createHttpApi, type HttpApi, type HttpServerOptions } from './http/create-http-api.js';
export { ShutdownState } from './http/shutdown-state.js';
export { GATE_OPTIONS, type GateOptions } from './http/gate.options.js';
export { LONG_ANSWERS, type LongAnswers } from './http/long-answers.js';
// The policy of a route, its description, and the validation of what it takes.
export { BODIES, JsonRoute, Policy } from './policy/route-policy.js';
export { Documented, type Documentation } from './openapi/documented.decorator.js';
export { openApiDocument } from './openapi/open-api-document.js';
export { bodySchemaOf } from './openapi/request-schema.js';
export { routesOf, type DeclaredRoute } from './openapi/routes-of-controllers.js';
export { bodyOf, queryOf } from './validation/request.pipe.js';
// Parts of a request and of its answer.
export { byteRangeOf, isTagKnown, type ByteRange } from './http/byte-range.js';
export { RequestCtx } from './http/request-ctx.decorator.js';
export { IdempotencyKey, IdParam, IsFresh, MaxCredits } from './http/request-params.decorators.js';
export { RequestRole, requireRole } from './http/request-role.decorator.js';
export { actorOf, RequestSession } from './http/request-session.decorator.js';
export { noSessionCookie, sessionCookie } from './http/session-cookie.js';
export { packagedWebFolder, takesEncoding } from './http/web-files.js';
export { whenClosed } from './when-closed.js';
// Limits.
export { KeyLimiter, rateLimited } from './limits/key-limiter.js';
export { MemoryRateLimitStore } from './limits/memory-rate-limit.store.js';
export { scaledBudget, scaledRateClasses, SIGN_IN_BUDGETS } from './limits/rate-class.catalogue.js';
export type { RateLimitStore } from './limits/rate-limit.store.js';
export { RATE_LIMITS, RateLimitsModule } from './limits/rate-limits.module.js';
