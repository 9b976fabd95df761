import type { INestApplicationContext } from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA, PIPES_METADATA } from '@nestjs/common/internal';
import { ApplicationConfig, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { firstValueFrom, isObservable } from 'rxjs';
import { AppError } from '@quarry/error-codes';
import { continuing, inSpan, isTracing } from '@quarry/tracing';
import { type Ctx, TrafficMetrics } from '@quarry/app';
import { isDatabaseUnavailable, isOutOfResources } from '@quarry/postgres';
import { answeredPattern } from './answers.decorator.js';
import type { RpcCall } from './rpc-transport.js';
import { outOfResources, unavailableError } from './unavailable.js';

/** Declared calls of one area, by their names in the code. */
export type DeclaredCalls = Readonly<Record<string, RpcCall<never, unknown>>>;

/** A method of a controller that answers a declared call. */
type Answer = (ctx: Ctx, request: unknown) => Promise<unknown>;

/** Metadata of wrappers around a handler; a handler with any of them is called through Nest. */
const AROUND_A_HANDLER = [GUARDS_METADATA, INTERCEPTORS_METADATA, PIPES_METADATA];

/**
 * A transport of a Nest microservice that answers declared calls. Nest finds the handlers (`Answers`) in the controllers, and
 * this class ensures that each declared call has exactly one.
 */
export abstract class DeclaredCallsServer extends Server implements CustomTransportStrategy {
  protected readonly patterns: ReadonlySet<string>;
  private readonly direct = new Map<string, Answer>();
  private metrics: TrafficMetrics | null = null;

  /** @param apis the calls that this process answers */
  constructor(apis: readonly DeclaredCalls[]) {
    super();
    this.patterns = new Set(apis.flatMap((api) => Object.values(api).map(({ pattern }) => pattern)));
  }

  /** Called by Nest for every handler. @throws Error when a call has two handlers, or this process does not declare it */
  override addHandler(pattern: string, handler: MessageHandler): void {
    // Nest would silently replace the first handler.
    if (this.messageHandlers.has(pattern)) throw new Error(`The call ${pattern} has two handlers.`);
    if (!this.patterns.has(pattern))
      throw new Error(`The call ${pattern} is none that this process answers.`);
    super.addHandler(pattern, handler);
  }

  /**
   * Calls handlers as plain methods from now on, and counts calls: Nest's own way to a handler (context, parameters, a stream
   * for errors) costs 2.3 µs more per call (ADR 22). Handlers with guards, interceptors or pipes, their own or global ones,
   * and handlers of request-scoped controllers are still called through Nest.
   *
   * @param app the application whose controllers have the handlers
   */
  callDirectly(app: INestApplicationContext): void {
    this.metrics = metricsOf(app);
    const config = app.get(ApplicationConfig);
    const around = [config.getGlobalGuards(), config.getGlobalInterceptors(), config.getGlobalPipes()];
    if (around.some((parts) => parts.length > 0)) return;
    const scanner = new MetadataScanner();
    for (const wrapper of app.get(DiscoveryService).getControllers()) {
      const controller = wrapper.instance as Record<string, Answer> | undefined;
      if (!controller || !wrapper.isDependencyTreeStatic()) continue;
      for (const name of scanner.getAllMethodNames(Object.getPrototypeOf(controller) as object)) {
        const method = controller[name]!;
        const pattern = answeredPattern(method);
        if (pattern === undefined || !this.patterns.has(pattern)) continue;
        const places = [method, controller.constructor];
        if (AROUND_A_HANDLER.some((key) => places.some((place) => Reflect.hasMetadata(key, place)))) continue;
        this.direct.set(pattern, method.bind(controller));
      }
    }
  }

  override listen(callback: (error?: unknown) => void): void {
    for (const pattern of this.patterns) {
      if (this.messageHandlers.has(pattern)) continue;
      callback(new Error(`The call ${pattern} has no handler.`));
      return;
    }
    this.open(callback);
  }

  /** Starts to accept calls. */
  protected abstract open(callback: (error?: unknown) => void): void;

  abstract override close(): unknown;

  /** Passes a call to its handler. @throws AppError for a refusal; anything else is unexpected */
  protected answer(pattern: string, ctx: Ctx, request: unknown): Promise<unknown> {
    // Callers choose the names of undeclared calls: each would create a span or metric of its own.
    if (!isTracing() || !this.patterns.has(pattern)) return this.answerCounted(pattern, ctx, request);
    const facts = { 'rpc.system': 'quarry', 'rpc.method': pattern };
    const work = (): Promise<unknown> => this.answerCounted(pattern, ctx, request);
    if (ctx.traceparent === undefined) return inSpan('server', pattern, facts, work);
    return continuing(ctx.traceparent, { kind: 'server', name: pattern, facts }, work);
  }

  private async answerCounted(pattern: string, ctx: Ctx, request: unknown): Promise<unknown> {
    const startedAt = performance.now();
    let outcome = 'ok';
    try {
      return await this.answerOf(pattern, ctx, request);
    } catch (error) {
      outcome = error instanceof AppError ? error.code : 'unexpected_error';
      throw error;
    } finally {
      // Callers choose the names of undeclared calls: each would create a span or metric of its own.
      if (this.patterns.has(pattern))
        this.metrics?.countCall(pattern, outcome, (performance.now() - startedAt) / 1000);
    }
  }

  private async answerOf(pattern: string, ctx: Ctx, request: unknown): Promise<unknown> {
    const direct = this.direct.get(pattern);
    if (direct) {
      try {
        return await direct(ctx, request);
      } catch (error) {
        throw asRefusal(pattern, error);
      }
    }
    // Not `getHandlerByPattern`: it parses the pattern as JSON, which throws internally for each of our calls.
    const handler = this.messageHandlers.get(pattern);
    if (!handler) throw unavailableError(pattern, 'unreachable', new Error('Nobody answers this.'));
    try {
      const answer: unknown = await handler(request, ctx);
      // Nest turns an error of a handler into a stream that fails.
      return isObservable(answer) ? await firstValueFrom(answer) : answer;
    } catch (error) {
      throw asRefusal(pattern, error);
    }
  }
}

/** @returns null in an application without the platform's module */
function metricsOf(app: INestApplicationContext): TrafficMetrics | null {
  try {
    return app.get(TrafficMetrics, { strict: false });
  } catch {
    return null;
  }
}

/** An unreachable database is an expected refusal of the area. */
function asRefusal(pattern: string, error: unknown): unknown {
  if (isOutOfResources(error)) return outOfResources(pattern, error);
  return isDatabaseUnavailable(error) ? unavailableError(pattern, 'storage', error) : error;
}
