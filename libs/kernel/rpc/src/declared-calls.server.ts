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

/** Metadata of wrappers around a handler; a handler that has any is called through Nest. */
const AROUND_A_HANDLER = [GUARDS_METADATA, INTERCEPTORS_METADATA, PIPES_METADATA];

/**
 * A transport of a Nest microservice that answers declared calls: Nest finds the handlers (`Answers`) of the controllers,
 * and this class sees to it that each declared call has exactly one.
 */
export abstract class DeclaredCallsServer extends Server implements CustomTransportStrategy {
  protected readonly patterns: ReadonlySet<string>;
  private readonly direct = new Map<string, Answer>();
  private metrics: TrafficMetrics | null = null;

  /** @param apis what this process answers */
  constructor(apis: readonly DeclaredCalls[]) {
    super();
    this.patterns = new Set(apis.flatMap((api) => Object.values(api).map(({ pattern }) => pattern)));
  }

  /**
   * Told by Nest of every handler.
   * @throws Error when a call has two handlers, or is none that this process answers
   */
  override addHandler(pattern: string, handler: MessageHandler): void {
    // Nest's own would put the second in the place of the first.
    if (this.messageHandlers.has(pattern)) throw new Error(`The call ${pattern} has two handlers.`);
    if (!this.patterns.has(pattern))
      throw new Error(`The call ${pattern} is none that this process answers.`);
    super.addHandler(pattern, handler);
  }

  /**
   * Calls handlers as the methods that they are, from here on: Nest's own way to a handler (its context, its parameters, a
   * stream for what it throws) costs 2.3 µs more at each call (ADR 22). A handler that has guards, interceptors or pipes,
   * of its own or the application's, or whose controller is made for each call, keeps Nest's way. Counts calls from here on.
   *
   * @param app whose controllers have the handlers
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

  /** Begins to take calls. */
  protected abstract open(callback: (error?: unknown) => void): void;

  abstract override close(): unknown;

  /** Hands a call to its handler. @throws AppError what it refuses with; anything else is unexpected */
  protected answer(pattern: string, ctx: Ctx, request: unknown): Promise<unknown> {
    // The name of an undeclared call is the caller's free choice, and would be a span or a metric of its own each time.
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
      // The name of an undeclared call is the caller's free choice, and would be a span or a metric of its own each time.
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
    // Not by `getHandlerByPattern`, which parses the pattern as JSON and throws inside at every call of ours.
    const handler = this.messageHandlers.get(pattern);
    if (!handler) throw unavailableError(pattern, 'unreachable', new Error('Nobody answers this.'));
    try {
      const answer: unknown = await handler(request, ctx);
      // A handler answers with a value; Nest turns what it throws into a stream that fails.
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

/** A database that cannot be reached is the area's own refusal, and expected. */
function asRefusal(pattern: string, error: unknown): unknown {
  if (isOutOfResources(error)) return outOfResources(pattern, error);
  return isDatabaseUnavailable(error) ? unavailableError(pattern, 'storage', error) : error;
}
