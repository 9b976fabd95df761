import { traceWith } from './tracing.js';

/** Names of samplers, as OTEL_TRACES_SAMPLER has them. Source: OpenTelemetry, environment variable specification. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

export interface TracingSettings {
  /** Address of a collector, without /v1/traces; null where nobody collects. */
  endpoint: string | null;
  /** Sent with every export, such as the key of the collector. */
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  sampler: SamplerName;
  /** Part of the traces that are recorded, 0 to 1; for samplers by ratio. */
  ratio: number;
  /** Told now and then, in a sentence, that spans cannot be sent. */
  onFault: (why: string) => void;
}

/** Spans of this process on their way. */
export interface Tracing {
  /** Sends what has ended by now, and makes no further spans. */
  close(): Promise<void>;
}

/**
 * Begins to make spans and to send them over OTLP/HTTP. Without an address nothing of the SDK is loaded.
 * A collector that is away costs spans, and nothing else.
 */
export async function startTracing(settings: TracingSettings): Promise<Tracing> {
  if (settings.endpoint === null) return { close: () => Promise.resolve() };
  const { openSpanSource } = await import('./span-source.js');
  const { source, close } = openSpanSource({ ...settings, endpoint: settings.endpoint });
  traceWith(source);
  return {
    close: async () => {
      traceWith(null);
      await close();
    },
  };
}
