export {
  SAMPLERS,
  startTracing,
  type SamplerName,
  type Tracing,
  type TracingSettings,
} from './start-tracing.js';
export {
  continuing,
  factsOfRequest,
  inSpan,
  isTracing,
  noteSpan,
  openRequest,
  traceIds,
  traceparent,
  untraced,
  type RequestSpan,
  type SpanFacts,
  type SpanNotes,
} from './tracing.js';
