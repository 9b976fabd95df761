export { SAMPLERS, startTracing, type SamplerName, type Tracing } from './start-tracing.js';
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
  type SpanFacts,
  type SpanNotes,
} from './tracing.js';
