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

/** Attributes that work may add to its span while it runs. */
export interface SpanNotes {
  note(facts: SpanFacts): void;
}

/** Span of a request that is in progress. */
export interface RequestSpan {
  /** Runs the work of the request within the span. */
  within<T>(work: () => T): T;
  /** Ends the span. @param route with the names of its parameters; null if no route was found */
  end(route: string | null, status: number): void;
}

/** Source of spans, if there is a collector. */
export interface SpanSource {
  tracer: Tracer;
  /** Decides randomly whether a request is recorded. */
  decide: () => boolean;
}

/** Span kinds of the semantic conventions of OpenTelemetry; our own attributes start with "quarry". */
const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;
type Kind = keyof typeof KINDS;

const NO_NOTES: SpanNotes = { note: () => undefined };
// Source: W3C Trace Context, version 00. Later versions may append fields after the flags.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

let source: SpanSource | null = null;

/** Turns tracing on or, with null, off. Only for {@link startTracing}. */
export function traceWith(next: SpanSource | null): void {
  source = next;
}

/** @returns whether this process creates spans. This check is the only cost of tracing while it is off */
export function isTracing(): boolean {
  return source !== null;
}

/**
 * Runs work in a child span of the current one. It never starts a trace: work outside a trace, or work that continues
 * after its parent span has ended, gets no span.
 * @param name constant of this program; few different ones
 * @returns the result of the work
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
 * Runs work that continues a trace from elsewhere: from another process, or from before a queue.
 * @param traceparent result of {@link traceparent} there; without one there is no trace to continue
 * @param startedAt start of the work, in milliseconds since 1970; now by default
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

/** Adds a span that ended before its parent was known. Times are milliseconds since 1970. */
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
 * Runs work outside any trace, even if a request triggered it: work that serves many requests, and timers that outlive
 * the request.
 */
export function runUntraced<T>(work: () => T): T {
  return source === null ? work() : context.with(ROOT_CONTEXT, work);
}

/**
 * Starts the span of an external request. It continues the trace that the request names, but the request does not decide
 * whether it is recorded, because clients could then have all their requests recorded. It is sampled like any other one.
 * @param traceparent header of the request
 * @returns null if the request and everything behind it is not recorded, and while tracing is off
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
 * @returns the current span as W3C Trace Context (55 characters), to be stored or sent; null if nothing is recorded
 */
export function currentTraceparent(): string | null {
  const at = source === null ? undefined : trace.getSpanContext(context.active());
  if (!at || !isSpanContextValid(at)) return null;
  return `00-${at.traceId}-${at.spanId}-0${at.traceFlags & TraceFlags.SAMPLED}`;
}

/** @returns the ids for a log line; undefined outside a span */
export function traceIds(): { trace_id: string; span_id: string } | undefined {
  const at = source === null ? undefined : trace.getSpanContext(context.active());
  return at && { trace_id: at.traceId, span_id: at.spanId };
}

/** @returns attributes of an outgoing request by the semantic conventions. @param url only its host and port are used */
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

/** Marks a span as failed, by the name or code of the error only: a message may contain client data. */
function markFailed(span: Span, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const type = typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** @returns null if the text is not a valid traceparent */
function parseTraceparent(text: unknown): SpanContext | null {
  if (typeof text !== 'string') return null;
  const [, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text) ?? [];
  if (more !== undefined && text.startsWith('00')) return null;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const parent = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(parent) ? parent : null;
}
