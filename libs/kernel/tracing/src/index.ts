export {
  SAMPLERS,
  startTracing,
  type SamplerName,
  type Tracing,
  type TracingSettings,
} from './start-tracing.js';
export {
  continueTrace as continuing,
  factsOfRequest,
  inSpan,
  isTracing,
  noteSpan,
  openRequest,
  traceIds,
  currentTraceparent as traceparent,
  runUntraced as untraced,
  type RequestSpan,
  type SpanFacts,
  type SpanNotes,
} from './tracing.js';
