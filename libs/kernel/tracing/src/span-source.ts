import { withDeadline } from '@quarry/resilience';
import { hostname } from 'node:os';
import { context, diag, DiagLogLevel, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from './start-tracing.js';
import type { SpanSource } from './tracing.js';

/** Timeout of an export, in milliseconds: collectors are close. Spans that are not sent in time are dropped. */
const EXPORT_MS = 10_000;
/** Maximum delay before an ended span is sent, in milliseconds; the default of the SDK is 5 s. */
const DELAY_MS = 1_000;
/** Buffer for a burst of a few seconds: 16 MiB at 2 kB per span. */
const SPANS_KEPT_MAX = 8_192;
/** Maximum time that a shutdown waits for an unavailable collector, in milliseconds. */
const CLOSE_MS = 3_000;
/** Interval at which an unavailable collector is reported, in milliseconds. */
const FAULT_EACH_MS = 15 * 60_000;
/** Maximum length of a text attribute: names and codes are short. */
const FACT_CHARACTERS_MAX = 256;

/** @returns a source of spans that also sends them; close it at the end of the process */
export function openSpanSource(settings: TracingSettings & { endpoint: string }): {
  source: SpanSource;
  close: () => Promise<void>;
} {
  const { endpoint, headers, serviceName } = settings;
  tellFaults(settings.onFault);
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: EXPORT_MS,
  });
  const sampler = samplerOf(settings);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.namespace': 'quarry',
      'service.instance.id': `${hostname()}-${process.pid}`,
    }),
    // Sampling is decided when a request arrives; spans are only created for requests that are traced.
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: FACT_CHARACTERS_MAX },
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: DELAY_MS, maxQueueSize: SPANS_KEPT_MAX }),
    ],
  });
  const ids = new RandomIdGenerator();
  return {
    source: {
      tracer: provider.getTracer('quarry'),
      // Uses an id of our own: otherwise a client that chooses the trace id could choose what is recorded.
      decide: () =>
        sampler.shouldSample(ROOT_CONTEXT, ids.generateTraceId(), '', SpanKind.SERVER, {}, []).decision ===
        SamplingDecision.RECORD_AND_SAMPLED,
    },
    close: async () => {
      await withDeadline(provider.shutdown(), {
        ms: CLOSE_MS,
        late: () => new Error('The collector does not answer.'),
      }).catch((error: unknown) => diag.error(String(error)));
      contexts.disable();
      context.disable();
      diag.disable();
    },
  };
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const name = sampler.replace('parentbased_', '');
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

/** Reports export errors. The SDK logs each failed batch; an occasional message is enough, and its stack is useless. */
function tellFaults(tell: TracingSettings['onFault']): void {
  let loggedAt = -Infinity;
  const say = (text: string): void => {
    if (performance.now() - loggedAt < FAULT_EACH_MS) return;
    loggedAt = performance.now();
    tell(sentenceOf(text));
  };
  const nothing = (): void => undefined;
  diag.setLogger(
    { error: say, warn: say, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** Extracts the message: the SDK's logger gets errors as JSON of all their properties. */
function sentenceOf(text: string): string {
  try {
    const { message, code } = JSON.parse(text) as { message?: unknown; code?: unknown };
    return [message, code]
      .filter((each) => typeof each === 'string')
      .join(' ')
      .slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}
