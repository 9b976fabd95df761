import 'reflect-metadata';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { KeyAuthenticator } from '@quarry/identity';
import { NestLogger } from '@quarry/app';
import { isTracing, openRequest } from '@quarry/tracing';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Logger } from 'pino';
import { AddressLimiter } from '../limits/address-limiter.js';
import { ClientAddress } from '../limits/client-address.js';
import { KeyLimiter } from '../limits/key-limiter.js';
import { routedUrl } from './app-path.js';
import { bodyParser } from './body-parser.js';
import { ErrorSender } from './error-sender.js';
import { Gate } from './gate.js';
import { GATE_OPTIONS, type GateOptions } from './gate.options.js';
import { LargeBodies } from './large-bodies.js';
import { LONG_ANSWERS, type LongAnswers } from './long-answers.js';
import { ShutdownState } from './shutdown-state.js';
import { Origins } from './origins.js';
import { refuseMalformedKey } from './refuse-malformed-key.js';
import { refuseQuery } from './refuse-query.js';
import { repairedUrl } from './repaired-url.js';
import { requestIdOf } from './request-id.js';
import { POLICY, UNKNOWN_ROUTE_POLICY, type RoutePolicy } from '../policy/route-policy.js';
import { RouteTable } from './route-table.js';
import { isSafe } from './same-origin.js';
import { serveWeb } from './serve-web.js';
import { WebFiles } from './web-files.js';
import { answerClientError, isUpgradeRefused, refuseExpectation, refuseTunnel } from './client-errors.js';

// Source: docs/reliability.md, Bad input (10 s headers, 30 s body). Closing fits into a grace period of 75 s. With a balancer in
// front, configure how long it takes to notice.
const TIMEOUTS: HttpTimeouts = {
  headersMs: 10_000,
  bodyMs: 30_000,
  importBodyMs: 300_000,
  closeMs: 30_000,
  leaveMs: 0,
};
/** Longer than the 90 s of load balancers in front, so that they never use a closed connection. */
const KEEP_ALIVE_MS = 95_000;
/**
 * Connections that may wait to be accepted; the kernel caps it (net.core.somaxconn). With Node's default of 511, a thousand
 * connections that arrive while the process is busy for seconds are partly reset.
 */
const BACKLOG = 4_096;
/**
 * Milliseconds for the first bytes on a connection opened just before a close; clients also open some in advance and never use
 * them.
 */
const FIRST_BYTES_MS = 500;
/** Node's largest head is 16 KiB, so no path parameter is longer: malformed ids reach the 404 of their resource. */
const PATH_PARAMETER_MAX = 16 * 1024;

export interface HttpTimeouts {
  /** Milliseconds for the head of a request to arrive. */
  headersMs: number;
  /** Milliseconds for an ordinary body to arrive. */
  bodyMs: number;
  /** Milliseconds for the 64 MiB body of an import, at about 2 Mbit/s. */
  importBodyMs: number;
  /** Milliseconds for open requests to end at a close; longer than a held batch read needs after its wake-up. */
  closeMs: number;
  /**
   * Milliseconds between the start of a stop and the end of listening: `/readyz` answers 503, so that balancers stop using the
   * process, and every answer closes its connection, so that none is in use when listening ends.
   */
  leaveMs: number;
}

/** Options that the server needs before the application exists. */
export interface HttpServerOptions {
  logger: Logger;
  timeouts?: Partial<HttpTimeouts>;
}

/** The public HTTP API, created but not listening yet. */
export interface HttpApi {
  /** The application. A process that also answers the calls connects its microservice to it. */
  app: NestFastifyApplication;
  /** @returns the port, also when 0 was requested */
  listen(port: number, host: string): Promise<number>;
  /**
   * Announces the stop, stops listening after `leaveMs`, lets open requests end within `closeMs`, then closes what is left. Safe
   * to call twice.
   * @param force shortens both when it is aborted
   */
  close(force?: AbortSignal): Promise<void>;
}

/**
 * Creates the application from a module with controllers: the gate runs before every route, and all errors share one envelope.
 * The module must provide {@link GATE_OPTIONS}, {@link LONG_ANSWERS}, {@link KeyLimiter} and {@link ShutdownState}.
 */
export async function createHttpApi(
  module: Type | DynamicModule,
  server: HttpServerOptions,
): Promise<HttpApi> {
  const { logger } = server;
  const timeouts = { ...TIMEOUTS, ...server.timeouts };
  const errors = new ErrorSender(logger);
  const adapter = new FastifyAdapter(serverOptions(timeouts, errors));
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  if (isTracing()) traceRequests(fastify);
  // Routes are added when the application starts to listen, and each gets the gate then.
  const options = app.get<GateOptions>(GATE_OPTIONS);
  installGate(fastify, options, app.get(KeyLimiter), errors);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', bodyParser(timeouts));
  if (options.onAnswered) countAnswers(fastify, options.onAnswered);
  if (logger.isLevelEnabled('debug')) logRequests(fastify, logger);
  app.useGlobalFilters(errors);
  const shutdown = app.get(ShutdownState);
  const { inFlight, connections } = watchConnections(fastify.server, shutdown);
  const longAnswers = app.get<readonly LongAnswers[]>(LONG_ANSWERS);
  return httpApi(app, fastify.server, { inFlight, connections, longAnswers, shutdown, timeouts });
}

function serverOptions(timeouts: HttpTimeouts, errors: ErrorSender) {
  return {
    logger: false,
    skipMiddie: true,
    genReqId: requestIdOf,
    requestIdHeader: false as const,
    return503OnClosing: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // An upper bound for the whole request; the body parser enforces the tighter limits.
    requestTimeout: timeouts.headersMs + timeouts.importBodyMs,
    http: {
      headersTimeout: timeouts.headersMs,
      // Node checks for late requests only every 30 s by default; a tenth of the time-out is more precise.
      connectionsCheckingInterval: Math.max(50, Math.min(1_000, timeouts.headersMs / 10)),
      // Node's own refusal has no body; the gate checks Host.
      requireHostHeader: false,
      shouldUpgradeCallback: isUpgradeRefused,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: Parameters<ErrorSender['send']>[1]) => {
      errors.send(request, reply, error);
    },
    rewriteUrl: (request: { url?: string }) =>
      routedUrl(request as IncomingMessage, repairedUrl(request.url ?? '/')),
    routerOptions: {
      maxParamLength: PATH_PARAMETER_MAX,
      // Passes the query on as text: most routes take none, and pipes parse it more strictly than Fastify.
      querystringParser: (text: string) => text as unknown as Record<string, unknown>,
    },
  };
}

function installGate(
  fastify: FastifyInstance,
  options: GateOptions,
  limiter: KeyLimiter,
  errors: ErrorSender,
): void {
  const routes = new RouteTable();
  const largeBodies = new LargeBodies();
  options.onBudget?.(largeBodies.budget);
  const gate = new Gate({
    addresses: new ClientAddress(options.trustedProxies),
    addressLimiter: new AddressLimiter(options.rateLimitScale),
    keys: new KeyAuthenticator(options.keys),
    findSession: options.findSession,
    limiter,
    origins: new Origins(options.allowedOrigins),
    routes,
    largeBodies,
    errors,
  });
  fastify.decorateRequest('ctx');
  fastify.decorateRequest('key');
  fastify.decorateRequest('policy');
  fastify.decorateRequest('role');
  fastify.decorateRequest('session');
  const unknownRoute = gate.hookFor(UNKNOWN_ROUTE_POLICY);
  const web = serveWeb(WebFiles.readFile(options.webFolder), errors);
  fastify.addHook('onRequest', async (request, reply) =>
    request.is404 ? (web(request, reply) ?? unknownRoute(request, reply)) : undefined,
  );
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const policy = (route.config as { [POLICY]?: RoutePolicy } | undefined)?.[POLICY];
    if (!policy) throw new Error(`The route ${route.url} declares no policy.`);
    routes.addRoute(route.method, route.url);
    route.onRequest = gate.hookFor(policy);
    if (policy.isHeld) route.onSend = gate.admitAgain;
    const isRead = [route.method].flat().every((method) => isSafe({ method }));
    route.preValidation = [
      ...(isRead ? [] : [refuseMalformedKey]),
      ...(policy.query === 'none' ? [refuseQuery] : []),
    ];
  });
}

/** A separate hook with a callback: everything after it, including the gate, runs within the span of the request. */
function traceRequests(fastify: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, NonNullable<ReturnType<typeof openRequest>>>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { id: requestId, method } = request;
    const span = openRequest({ method, requestId }, request.headers.traceparent);
    if (!span) return done();
    spans.set(request, span);
    span.within(done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.end(request.routeOptions.url ?? null, reply.statusCode);
    // The log line of the answer contains the ids of the span.
    if (span) span.within(done);
    else done();
  });
}

function countAnswers(fastify: FastifyInstance, tell: NonNullable<GateOptions['onAnswered']>): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    tell(request.method, request.routeOptions.url ?? null, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}

/** Logs one line per request, without body or key. Off by default: it costs as much as a small answer. */
function logRequests(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? null;
    const { id: requestId, method } = request;
    logger.debug({ requestId, method, route, status: reply.statusCode, ms: reply.elapsedTime }, 'request');
    done();
  });
}

/** Answers requests that never reach Fastify. @returns the open answers and the open connections */
function watchConnections(
  server: Server,
  shutdown: ShutdownState,
): Pick<HttpApiParts, 'inFlight' | 'connections'> {
  const inFlight = new Set<ServerResponse>();
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('connect', refuseTunnel);
  server.on('upgrade', refuseTunnel);
  server.on('checkExpectation', refuseExpectation);
  server.on('request', (_request, response) => {
    inFlight.add(response);
    if (shutdown.hasBegun) response.shouldKeepAlive = false;
    response.once('close', () => inFlight.delete(response));
  });
  return { inFlight, connections };
}

interface HttpApiParts {
  inFlight: Set<ServerResponse>;
  connections: Set<Socket>;
  /** Closed in this order. */
  longAnswers: readonly LongAnswers[];
  shutdown: ShutdownState;
  timeouts: HttpTimeouts;
}

function httpApi(app: NestFastifyApplication, server: Server, parts: HttpApiParts): HttpApi {
  const { inFlight, connections, longAnswers, shutdown, timeouts } = parts;
  let closing: Promise<void> | null = null;
  const close = async (force?: AbortSignal) => {
    shutdown.hasBegun = true;
    // Responses that have not started announce that their connection closes after them.
    for (const response of inFlight) response.shouldKeepAlive = false;
    for (const each of longAnswers) each.close();
    await pauseFor(timeouts.leaveMs, force);
    const closed = new AbortController();
    const over = force ? AbortSignal.any([force, closed.signal]) : closed.signal;
    // Node counts a connection without a request as in use.
    void pauseFor(FIRST_BYTES_MS, over).then(() => {
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    });
    void pauseFor(timeouts.closeMs, over).then(() => server.closeAllConnections());
    // Nest would close its server only after the shutdown hooks; requests must end before them.
    try {
      await app.getHttpAdapter().close();
    } finally {
      closed.abort();
      await app.close();
    }
  };
  return {
    app,
    listen: async (port, host) => {
      await app.listen({ port, host, backlog: BACKLOG });
      const address = server.address();
      return typeof address === 'object' && address ? address.port : port;
    },
    close: (force) => (closing ??= close(force)),
  };
}

/** Resolves after `ms`, or when the signal is aborted. */
async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal }).catch(() => undefined);
}
