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

/** Collectors are near. Spans that are not sent within this time are dropped. */
const EXPORT_MS = 10_000;
/** Milliseconds until an ended span is sent, at most; the default of the SDK is 5 s. */
const DELAY_MS = 1_000;
/** A burst may be a few seconds long: at 2 kB each these are 16 MiB. */
const SPANS_KEPT_MAX = 8_192;
/** A stop does not wait longer for a collector that is away. */
const CLOSE_MS = 3_000;
/** A collector that is away is told of once in this time. */
const FAULT_EACH_MS = 15 * 60_000;
/** Longest text of a fact: names and codes are short. */
const FACT_CHARACTERS_MAX = 256;

/** @returns what makes spans and sends them; to be closed at the end of the process */
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
    // Sampling is decided where a request comes in; spans are only made for requests that are traced.
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
      // By an id of our own: whoever chooses the id of a trace would otherwise choose what is recorded.
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

/** The SDK says of each batch that it could not be sent; once in a while is enough, and its stack is of no use. */
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

/** Errors reach the logger of the SDK as JSON of all their properties. */
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
