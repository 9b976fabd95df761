import { traceWith } from './tracing.js';

/** Names of samplers, as in OTEL_TRACES_SAMPLER. Source: OpenTelemetry, environment variable specification. */
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
  /** URL of a collector, without /v1/traces; null if there is none. */
  endpoint: string | null;
  /** Headers of every export, such as the key of the collector. */
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  sampler: SamplerName;
  /** Share of the traces that are recorded, 0 to 1; for samplers by ratio. */
  ratio: number;
  /** Receives an occasional message that spans cannot be sent. */
  onFault: (why: string) => void;
}

/** Export of the spans of this process. */
export interface Tracing {
  /** Sends all ended spans and creates no more. */
  close(): Promise<void>;
}

/**
 * Starts to create spans and to send them over OTLP/HTTP. Without an endpoint the SDK is not loaded.
 * An unavailable collector costs spans and nothing else.
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
