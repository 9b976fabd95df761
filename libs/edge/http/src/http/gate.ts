import type { IncomingMessage } from 'node:http';
import { AppError } from '@quarry/error-codes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UserRole } from '@quarry/dto';
import { KEY_CACHE_TTL_MS, type KeyAuthenticator, type OpenSession } from '@quarry/identity';
import { systemCtx, type Mode } from '@quarry/app';
import type { AddressLimiter } from '../limits/address-limiter.js';
import type { ClientAddress } from '../limits/client-address.js';
import { rateLimited, type KeyLimiter, type LimitedKey } from '../limits/key-limiter.js';
import type { RateClassName } from '../limits/rate-class.catalogue.js';
import { APP_API, appScopeOf, type AppScope } from './app-path.js';
import {
  errorAnswer,
  foreignOrigin,
  foreignPage,
  methodNotAllowed,
  notFound,
  unsupportedFileType,
  unsupportedMediaType,
} from './error-answer.js';
import type { ErrorSender } from './error-sender.js';
import type { LargeBodies } from './large-bodies.js';
import type { Origins } from './origins.js';
import type { RouteTable } from './route-table.js';
import { FILE_TYPES, JSON_TYPE, type RoutePolicy } from '../policy/route-policy.js';
import { isSafe, isSameOrigin } from './same-origin.js';
import { requireRole } from './request-role.decorator.js';
import { noSession, sessionTokenOf } from './session-cookie.js';
import { whenClosed } from '../when-closed.js';
import './request-state.js';

export interface GateParts {
  addresses: ClientAddress;
  addressLimiter: AddressLimiter;
  keys: KeyAuthenticator;
  findSession: (token: string) => Promise<OpenSession | null>;
  limiter: KeyLimiter;
  origins: Origins;
  routes: RouteTable;
  largeBodies: LargeBodies;
  errors: ErrorSender;
  /** Milliseconds that a checked caller stays valid without another check. */
  believedMs?: number;
}

/** Caller of a request, with its organisation and mode. */
interface Principal {
  orgId: string;
  mode: Mode;
  keyId: string;
  /** Role of the user, for a session as for one of the user's keys. */
  role: UserRole;
  /** Key whose budget the request counts against. */
  limited: LimitedKey;
}

export type GateHook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * Everything that is checked before the body of a request is read, in the order of docs/contract.md#2-order-of-checks: address
 * limit, key, rate class and concurrency, known address, content type. A single hook instead of guards, because every request
 * pays for it: no database, and at most one round trip to the limiter.
 */
export class Gate {
  constructor(private readonly parts: GateParts) {}

  hookFor(policy: RoutePolicy): GateHook {
    return async (request, reply) => {
      reply.header('X-Request-Id', request.id);
      reply.header('X-Content-Type-Options', 'nosniff');
      request.policy = policy;
      if (policy.access === 'public') return undefined;
      // A shared cache must never give one key the answer, or the refusal, of another.
      reply.header('Cache-Control', 'no-store');
      try {
        const address = this.limitAddress(request, policy);
        if (policy.access === 'open') return admitOpen(request, policy, address);
        const { limited } = await this.authenticateRequest(request, policy, address);
        await this.limitKey(reply, limited, policy.rateClass);
        if (request.is404) throw this.noRoute(request);
        checkRole(request, policy);
        if (request.session) checkOwnPage(request, policy);
        if (policy.origin === 'own' && !this.parts.origins.admitOrigin(request.raw.headers.origin))
          throw foreignOrigin();
        if (takesBody(request.raw, policy)) checkContentType(request.raw, policy);
        this.parts.largeBodies.admitBody(request, reply, policy);
      } catch (error) {
        return this.parts.errors.send(request, reply, error);
      }
      return undefined;
    };
  }

  /**
   * Hook of answers that may have waited, by {@link RoutePolicy.isHeld}: callers that have lost their key or session meanwhile
   * are refused. What was known at the beginning is valid for {@link KEY_CACHE_TTL_MS}.
   */
  readonly admitAgain = (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload?: unknown) => void,
  ): void => {
    if (reply.elapsedTime < (this.parts.believedMs ?? KEY_CACHE_TTL_MS)) return done(null, payload);
    this.principalOf(request, request.policy).then(
      () => done(null, payload),
      (error: unknown) => {
        const { status, headers, body } = errorAnswer(error);
        reply.code(status).headers(headers).header('Content-Type', JSON_TYPE).removeHeader('Content-Length');
        done(null, body);
      },
    );
  };

  /** @returns the client's address */
  private limitAddress({ raw }: FastifyRequest, { addressClass }: RoutePolicy): string {
    const address = this.parts.addresses.findAddress(raw);
    const retryAfterSeconds = this.parts.addressLimiter.takeRequest(address, addressClass);
    if (retryAfterSeconds > 0) {
      throw rateLimited('Too many requests from this address.', retryAfterSeconds);
    }
    checkFraming(raw);
    return address;
  }

  private async authenticateRequest(
    request: FastifyRequest,
    policy: RoutePolicy,
    address: string,
  ): Promise<Principal> {
    const principal = await this.principalOf(request, policy);
    const { orgId, mode, keyId, limited, role } = principal;
    request.key = limited;
    request.role = role;
    request.ctx = { orgId, keyId, mode, requestId: request.id, address, timeoutMs: null };
    return principal;
  }

  /** Below /app/api/ the browser's session counts, everywhere else the key; the other one is ignored. */
  private async principalOf(request: FastifyRequest, policy: RoutePolicy): Promise<Principal> {
    const scope = appScopeOf(request.raw);
    try {
      if (scope) return await this.ofSession(request, scope);
      const key = await this.parts.keys.authenticateKey(request.raw.headers.authorization);
      return { orgId: key.orgId, mode: key.mode, keyId: key.id, role: key.role, limited: key };
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      const code = policy.area === 'resources' ? 'runs_unavailable' : 'internal_error';
      throw new AppError(code, 'API keys cannot be checked at the moment. Try again.', {
        status: 503,
        cause,
      });
    }
  }

  private async ofSession(request: FastifyRequest, scope: AppScope): Promise<Principal> {
    const token = sessionTokenOf(request.raw.headers.cookie);
    const session = token === null ? null : await this.parts.findSession(token);
    if (!session) throw noSession();
    request.session = session;
    const { id, orgId, userId, role, keyIds } = session;
    const mode = scope === 'test' ? 'test' : 'live';
    return { orgId, mode, keyId: keyIds[mode], role, limited: { id, userId } };
  }

  private async limitKey(reply: FastifyReply, key: LimitedKey, rateClass: RateClassName): Promise<void> {
    const admission = this.parts.limiter.admitRequest(key, rateClass);
    const { limit, remaining, resetSeconds, refusal, release } =
      admission instanceof Promise ? await admission : admission;
    reply.header('RateLimit-Limit', limit);
    reply.header('RateLimit-Remaining', remaining);
    reply.header('RateLimit-Reset', resetSeconds);
    if (refusal) throw refusal;
    // The client may have disconnected while the budget was counted.
    if (release) whenClosed(reply.raw, release);
  }

  private noRoute({ raw }: FastifyRequest): AppError {
    const allowed = this.parts.routes.methodsAt(raw.url ?? '');
    return allowed.length > 0 ? methodNotAllowed(allowed) : notFound();
  }
}

/** Admits a request without a key: the caller is unknown, and pages of other origins may not change anything. */
function admitOpen(request: FastifyRequest, policy: RoutePolicy, address: string): undefined {
  request.ctx = { ...systemCtx(request.id), address };
  // By route, because a client may send the address in absolute form.
  if (request.routeOptions.url?.startsWith(APP_API)) checkOwnPage(request, policy);
  return undefined;
}

/** @throws AppError not_found when the role does not allow the request, or no key can make it */
function checkRole({ raw, session, role }: FastifyRequest, policy: RoutePolicy): void {
  if (policy.access === 'session' && !session) throw notFound();
  const byMethod = isSafe(raw) ? 'viewer' : 'member';
  requireRole(role, policy.role === 'by method' ? byMethod : policy.role);
}

/** Browsers send a cookie with requests of any page, so a change must come from a page of this origin. */
function checkOwnPage({ raw }: FastifyRequest, policy: RoutePolicy): void {
  if (isSafe(raw)) return;
  if (!isSameOrigin(raw)) throw foreignOrigin();
  const type = raw.headers['content-type'];
  // Forms of foreign pages can send three content types; JSON is not one of them.
  if ((type !== undefined || takesBody(raw, policy)) && !typesOf(policy).includes(mediaOf(type)))
    throw foreignPage();
}

/** Refuses repeated headers: Node keeps the first Host or Authorization header, and another parser might keep the last. */
function checkFraming({ rawHeaders, httpVersionMinor }: IncomingMessage): void {
  let hosts = 0;
  let authorizations = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i]!;
    if (length === 4 && rawHeaders[i]!.toLowerCase() === 'host') hosts += 1;
    else if (length === 13 && rawHeaders[i]!.toLowerCase() === 'authorization') authorizations += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) {
    throw new AppError('invalid_request', 'The request must have exactly one Host header.');
  }
  if (authorizations > 1) throw new AppError('not_authenticated', 'Authorization must be sent exactly once.');
}

function takesBody(raw: IncomingMessage, policy: RoutePolicy): boolean {
  if (policy.body !== null) return true;
  if (raw.method === 'GET' || raw.method === 'HEAD') return false;
  return raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0;
}

const JSON_TYPES: readonly string[] = ['application/json'];

function typesOf({ body }: RoutePolicy): readonly string[] {
  return body?.as === 'file' ? FILE_TYPES : JSON_TYPES;
}

function checkContentType({ headers }: IncomingMessage, policy: RoutePolicy): void {
  if (policy.body?.as === 'file') {
    // Any charset is accepted: it is detected from the content, because a browser can only guess that of a file.
    const isTaken = FILE_TYPES.includes(mediaOf(headers['content-type']));
    if (!isTaken || headers['content-encoding'] !== undefined) throw unsupportedFileType();
    return;
  }
  if (headers['content-encoding'] !== undefined) throw unsupportedMediaType();
  const type = headers['content-type'];
  if (type === 'application/json') return;
  const [, ...parameters] = (type ?? '').toLowerCase().split(';');
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (mediaOf(type) !== 'application/json' || !isUtf8) throw unsupportedMediaType();
}

function mediaOf(type: string | undefined): string {
  return (type ?? '').toLowerCase().split(';')[0]!.trim();
}
