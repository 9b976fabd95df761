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

// Source: docs/reliability.md, Bad input (10 s headers, 30 s body). The close fits into a grace period of 75 s. Whoever
// has a balancer in front says how long that takes to notice.
const TIMEOUTS: HttpTimeouts = {
  headersMs: 10_000,
  bodyMs: 30_000,
  importBodyMs: 300_000,
  closeMs: 30_000,
  leaveMs: 0,
};
/** Longer than the 90 s that load balancers in front are set to, so that they never use a closed connection. */
const KEEP_ALIVE_MS = 95_000;
/** For the first bytes on a connection that was opened just before a close; clients also open some ahead, and use none. */
const FIRST_BYTES_MS = 500;
/** Node's largest head is 16 KiB, so no path parameter is longer: odd ids reach their resource's 404. */
const PATH_PARAMETER_MAX = 16 * 1024;

export interface HttpTimeouts {
  /** For the request's head to arrive. */
  headersMs: number;
  /** For an ordinary body to arrive. */
  bodyMs: number;
  /** For the 64 MiB body of an import, at 2 Mbit/s about. */
  importBodyMs: number;
  /** For requests in flight to end at a close; longer than a held batch read needs after its wake-up. */
  closeMs: number;
  /**
   * From the first word of a stop to the end of listening: `/readyz` answers 503, so that balancers take the process out,
   * and every answer closes its connection, so that nobody has one in use when the listening ends.
   */
  leaveMs: number;
}

/** Options that the server needs before the application is made. */
export interface HttpServerOptions {
  logger: Logger;
  timeouts?: Partial<HttpTimeouts>;
}

/** The public HTTP API, composed but not yet listening. */
export interface HttpApi {
  /** The application: whoever serves calls in the same process connects the microservice that answers them. */
  app: NestFastifyApplication;
  /** @returns the port, also when 0 was asked for. */
  listen(port: number, host: string): Promise<number>;
  /**
   * Says that it leaves, and after `leaveMs` stops accepting, lets requests in flight end within `closeMs`, then ends
   * what is left. Safe to call twice.
   * @param force shortens both when it fires
   */
  close(force?: AbortSignal): Promise<void>;
}

/**
 * Makes the application of a module with controllers: the gate before every route, and one envelope for every error. The
 * module provides {@link GATE_OPTIONS}, {@link LONG_ANSWERS}, {@link KeyLimiter} and {@link ShutdownState}.
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
  // Routes are added when the application begins to listen, and each of them gets the gate then.
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
    // An upper bound for the whole request; the parser of bodies keeps the closer time.
    requestTimeout: timeouts.headersMs + timeouts.importBodyMs,
    http: {
      headersTimeout: timeouts.headersMs,
      // Node looks for late requests every 30 s unless told; a tenth of the time-out keeps it close to its word.
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
      // The text as it came: most routes take no query, and pipes read it more strictly than Fastify would.
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

/** A hook of its own, with a callback: what comes behind it, the gate first, runs as a part of the request. */
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
    // The log line of the answer carries its ids.
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

/** One line per request costs as much as a small answer, so only whoever asks for it gets it. Never a body or key. */
function logRequests(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? null;
    const { id: requestId, method } = request;
    logger.debug({ requestId, method, route, status: reply.statusCode, ms: reply.elapsedTime }, 'request');
    done();
  });
}

/** Answers what Fastify never sees. @returns the answers that have not ended yet, and the connections that are open. */
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
    // Answers that are still to come say that their connection ends with them.
    for (const response of inFlight) response.shouldKeepAlive = false;
    for (const each of longAnswers) each.close();
    await pauseFor(timeouts.leaveMs, force);
    const closed = new AbortController();
    const over = force ? AbortSignal.any([force, closed.signal]) : closed.signal;
    // Node takes a connection without a request for one that is in use.
    void pauseFor(FIRST_BYTES_MS, over).then(() => {
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    });
    void pauseFor(timeouts.closeMs, over).then(() => server.closeAllConnections());
    // Nest would close its server after the hooks that hand work back; requests come first.
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
      await app.listen(port, host);
      const address = server.address();
      return typeof address === 'object' && address ? address.port : port;
    },
    close: (force) => (closing ??= close(force)),
  };
}

/** Resolves after so long, or when the signal fires. */
async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal }).catch(() => undefined);
}
