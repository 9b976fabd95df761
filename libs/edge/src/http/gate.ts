import type { IncomingMessage } from 'node:http';
import { AppError } from '@quarry/error-codes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeyRecord, KeyAuthenticator } from '@quarry/identity';
import type { AddressLimiter } from '../limits/address-limiter.js';
import type { ClientAddress } from '../limits/client-address.js';
import { rateLimited, type KeyLimiter } from '../limits/key-limiter.js';
import type { RateClassName } from '../limits/rate-class.catalogue.js';
import { foreignOrigin, methodNotAllowed, notFound, unsupportedMediaType } from './error-answer.js';
import type { ErrorSender } from './error-sender.js';
import type { LargeBodies } from './large-bodies.js';
import type { Origins } from './origins.js';
import type { RouteTable } from './route-table.js';
import type { RoutePolicy } from './route-policy.js';
import { whenClosed } from './when-closed.js';
import './request-state.js';

export interface GateParts {
  addresses: ClientAddress;
  addressLimiter: AddressLimiter;
  keys: KeyAuthenticator;
  limiter: KeyLimiter;
  origins: Origins;
  routes: RouteTable;
  largeBodies: LargeBodies;
  errors: ErrorSender;
}

export type GateHook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * Everything that is decided about a request before its body is read, in the order that the contract decisions
 * (section 2) fix: address limit, key, rate class and concurrency, address known, content type. One hook instead
 * of guards, as every request pays for it: no database, and at most one round trip to the limiter.
 */
export class Gate {
  constructor(private readonly parts: GateParts) {}

  /** @returns the hook of one route. */
  hookFor(policy: RoutePolicy): GateHook {
    return async (request, reply) => {
      reply.header('X-Request-Id', request.id);
      reply.header('X-Content-Type-Options', 'nosniff');
      request.policy = policy;
      if (policy.access === 'public') return undefined;
      // A shared cache must never give the answer to one key, or its refusal, to another.
      reply.header('Cache-Control', 'no-store');
      try {
        const address = this.limitAddress(request);
        if (policy.access === 'open') return undefined;
        const key = await this.authenticate(request, policy, address);
        await this.limitKey(reply, key, policy.rateClass);
        if (request.is404) throw this.noRoute(request);
        if (policy.origin === 'own' && !this.parts.origins.admit(request.raw.headers.origin))
          throw foreignOrigin();
        if (takesBody(request, policy)) checkContentType(request.raw);
        this.parts.largeBodies.admit(request, reply, policy);
      } catch (error) {
        return this.parts.errors.send(request, reply, error);
      }
      return undefined;
    };
  }

  /** @returns the client's address */
  private limitAddress({ raw }: FastifyRequest): string {
    const address = this.parts.addresses.of(raw);
    const retryAfterSeconds = this.parts.addressLimiter.take(address);
    if (retryAfterSeconds > 0) {
      throw rateLimited('Too many requests from this address.', retryAfterSeconds);
    }
    checkFraming(raw);
    return address;
  }

  private async authenticate(
    request: FastifyRequest,
    policy: RoutePolicy,
    address: string,
  ): Promise<ApiKeyRecord> {
    const key = await this.knownKey(request, policy);
    request.key = key;
    request.ctx = {
      orgId: key.orgId,
      keyId: key.id,
      mode: key.mode,
      requestId: request.id,
      address,
      timeoutMs: null,
    };
    return key;
  }

  private async knownKey(request: FastifyRequest, policy: RoutePolicy): Promise<ApiKeyRecord> {
    try {
      return await this.parts.keys.authenticate(request.raw.headers.authorization);
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      const code = policy.area === 'resources' ? 'runs_unavailable' : 'internal_error';
      throw new AppError(code, 'The service cannot check keys at the moment. Try again.', { cause });
    }
  }

  private async limitKey(reply: FastifyReply, key: ApiKeyRecord, rateClass: RateClassName): Promise<void> {
    const admission = this.parts.limiter.admit(key, rateClass);
    const { limit, remaining, resetSeconds, refusal, release } =
      admission instanceof Promise ? await admission : admission;
    reply.header('RateLimit-Limit', limit);
    reply.header('RateLimit-Remaining', remaining);
    reply.header('RateLimit-Reset', resetSeconds);
    if (refusal) throw refusal;
    // A client may have left while the budget was counted.
    if (release) whenClosed(reply.raw, release);
  }

  private noRoute({ raw }: FastifyRequest): AppError {
    const allowed = this.parts.routes.methodsAt(raw.url ?? '');
    return allowed.length > 0 ? methodNotAllowed(allowed) : notFound();
  }
}

/** Node keeps the first of two Host or Authorization headers; two readers might keep different ones. */
function checkFraming({ rawHeaders, httpVersionMinor }: IncomingMessage): void {
  let hosts = 0;
  let authorizations = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i]!;
    if (length === 4 && rawHeaders[i]!.toLowerCase() === 'host') hosts += 1;
    else if (length === 13 && rawHeaders[i]!.toLowerCase() === 'authorization') authorizations += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) {
    throw new AppError('invalid_request', 'The request must name its Host once.');
  }
  if (authorizations > 1) throw new AppError('not_authenticated', 'Authorization must be sent once.');
}

function takesBody({ raw }: FastifyRequest, policy: RoutePolicy): boolean {
  if (policy.body !== null) return true;
  if (raw.method === 'GET' || raw.method === 'HEAD') return false;
  return raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0;
}

function checkContentType({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] !== undefined) throw unsupportedMediaType();
  const type = headers['content-type'];
  if (type === 'application/json') return;
  const [media = '', ...parameters] = (type ?? '').toLowerCase().split(';');
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (media.trim() !== 'application/json' || !isUtf8) throw unsupportedMediaType();
}
