import { isIP } from 'node:net';
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';

/** Attributes of a span: names, numbers and codes of this program. Never a parameter, a body, a key or a query. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** Notes that work may add to its span while it is under way. */
export interface SpanNotes {
  note(facts: SpanFacts): void;
}

/** A request that is being answered, until its end is told. */
export interface RequestSpan {
  /** Runs what the request sets off, at once. */
  within<T>(work: () => T): T;
  /** @param route with the names of its parameters; null where no route was found. Ends the span */
  end(route: string | null, status: number): void;
}

/** Source of spans, once there is somebody to send them to. */
export interface SpanSource {
  tracer: Tracer;
  /** Throws the dice for a request: whether it is recorded. */
  decide: () => boolean;
}

/** Of the semantic conventions of OpenTelemetry; what is ours begins with "quarry". */
const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;
type Kind = keyof typeof KINDS;

const NO_NOTES: SpanNotes = { note: () => undefined };
// Source: W3C Trace Context, version 00. A later version may have more behind the flags.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

let source: SpanSource | null = null;

/** Turns tracing on or, with null, off: for {@link startTracing} alone. */
export function traceWith(next: SpanSource | null): void {
  source = next;
}

/** @returns whether this process makes spans. All that tracing costs while it does not is this question */
export function isTracing(): boolean {
  return source !== null;
}

/**
 * Runs work as a part of what is under way. Makes no trace by itself: work that nobody follows, or that goes on after what began
 * it has ended, has no span.
 * @param name of this program, few in number
 * @returns what the work returns
 */
export function inSpan<T>(
  kind: Kind,
  name: string,
  facts: SpanFacts,
  work: (span: SpanNotes) => Promise<T>,
): Promise<T> {
  if (source === null) return work(NO_NOTES);
  const active = context.active();
  const parent = trace.getSpan(active);
  if (!parent?.isRecording()) return work(NO_NOTES);
  const span = source.tracer.startSpan(name, { kind: KINDS[kind], attributes: facts }, active);
  return runInSpan(span, active, work);
}

/**
 * Runs work that goes on with a trace that was begun elsewhere: in another process, or before a queue.
 * @param traceparent as {@link traceparent} gave it there; without one there is no trace to go on with
 * @param startedAt when the work began, in milliseconds since 1970; now when left out
 */
export function continueTrace<T>(
  traceparent: string | null | undefined,
  { kind, name, facts, startedAt }: { kind: Kind; name: string; facts: SpanFacts; startedAt?: number },
  work: (span: SpanNotes) => Promise<T>,
): Promise<T> {
  if (source === null) return work(NO_NOTES);
  const parent = parseTraceparent(traceparent);
  if (!parent?.traceFlags) return work(NO_NOTES);
  const above = trace.setSpanContext(ROOT_CONTEXT, parent);
  const span = source.tracer.startSpan(
    name,
    { kind: KINDS[kind], attributes: facts, ...(startedAt === undefined ? {} : { startTime: startedAt }) },
    above,
  );
  return runInSpan(span, above, work);
}

/** Notes a part that has ended before it was known whose it is. Times are milliseconds since 1970. */
export function noteSpan(
  kind: Kind,
  name: string,
  facts: SpanFacts,
  startedAt: number,
  endedAt: number,
): void {
  if (source === null) return;
  const active = context.active();
  if (!trace.getSpan(active)?.isRecording()) return;
  source.tracer
    .startSpan(name, { kind: KINDS[kind], attributes: facts, startTime: startedAt }, active)
    .end(endedAt);
}

/**
 * Runs work that belongs to nobody's trace, although somebody's request may have set it off: what serves many at once, and
 * timers that live on.
 */
export function runUntraced<T>(work: () => T): T {
  return source === null ? work() : context.with(ROOT_CONTEXT, work);
}

/**
 * Begins the span of a request from outside. The trace that it names goes on here, but it does not decide what is recorded:
 * anybody could have all of their requests recorded. So the dice are thrown as for a request that names none.
 * @param traceparent header of the request
 * @returns null for a request that is not recorded, which nothing behind it is then, and while tracing is off
 */
export function openRequest(
  { method, requestId }: { method: string; requestId: string },
  traceparent: unknown,
): RequestSpan | null {
  if (source === null || !source.decide()) return null;
  const { tracer } = source;
  const parent = parseTraceparent(traceparent);
  if (parent) parent.traceFlags = TraceFlags.SAMPLED;
  const above = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
  const attributes = { 'http.request.method': method, 'quarry.request_id': requestId };
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, above);
  const within = trace.setSpan(above, span);
  return {
    within: (work) => context.with(within, work),
    end: (route, status) => {
      span.updateName(`${method} ${route ?? 'unknown'}`);
      span.setAttributes({ 'http.route': route ?? 'unknown', 'http.response.status_code': status });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/**
 * @returns what is under way, to be kept or sent: W3C Trace Context, 55 characters. Null where nothing is recorded
 */
export function currentTraceparent(): string | null {
  const at = source === null ? undefined : trace.getSpanContext(context.active());
  if (!at || !isSpanContextValid(at)) return null;
  return `00-${at.traceId}-${at.spanId}-0${at.traceFlags & TraceFlags.SAMPLED}`;
}

/** @returns the ids that a log line shows; undefined where nothing is under way */
export function traceIds(): { trace_id: string; span_id: string } | undefined {
  const at = source === null ? undefined : trace.getSpanContext(context.active());
  return at && { trace_id: at.traceId, span_id: at.spanId };
}

/** Names of semantic conventions for a request that this program makes. @param url of which only host and port are shown */
export function factsOfRequest(method: string, { hostname, port, protocol }: URL): SpanFacts {
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    'http.request.method': method,
    'server.address': isIP(host) ? host : hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

async function runInSpan<T>(span: Span, above: Context, work: (span: SpanNotes) => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(above, span), work, undefined, notesOf(span));
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function notesOf(span: Span): SpanNotes {
  return { note: (facts) => void span.setAttributes(facts) };
}

/** Marks a span as failed, by the name or code of the error alone: a message may hold what somebody has sent. */
function markFailed(span: Span, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const type = typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** @returns null for what is no traceparent */
function parseTraceparent(text: unknown): SpanContext | null {
  if (typeof text !== 'string') return null;
  const [, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text) ?? [];
  if (more !== undefined && text.startsWith('00')) return null;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const parent = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(parent) ? parent : null;
}
