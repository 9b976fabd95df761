import { describe, expect, it } from '@jest/globals';
import { continuing, inSpan, isTracing } from '@quarry/tracing';
import { TraceCollector } from '@quarry/test-servers';
import { EnvError, loadEnv } from '../env/env.js';
import { Lifecycle } from '../lifecycle/lifecycle.js';
import { createLogger } from '../telemetry/logger.js';
import { openTracing, withTracing } from './tracing.env.js';

class SpecEnv extends withTracing(class {}) {}
const logger = createLogger('spec', 'silent');
const open = (source: Record<string, string>, life: Lifecycle) =>
  openTracing(loadEnv(SpecEnv, source), { app: 'spec', life, logger });

describe('tracing configured by the environment', () => {
  it('is off without a collector, and loads nothing', async () => {
    const life = new Lifecycle(() => undefined);
    await open({ OTEL_TRACES_SAMPLER: 'always_on' }, life);
    expect(isTracing()).toBe(false);
    await life.close();
  });

  it("lasts as long as the process, and sends the collector's decoded headers", async () => {
    const collector = await TraceCollector.start();
    const life = new Lifecycle(() => undefined);
    const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20k%3D1, x-team=a';
    await open({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_EXPORTER_OTLP_HEADERS }, life);
    expect(isTracing()).toBe(true);
    const lines: string[] = [];
    const log = createLogger('spec', 'info', { write: (line: string) => void lines.push(line) });
    const begun = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await continuing(begun, { kind: 'consumer', name: 'work', facts: {} }, () =>
      inSpan('client', 'statement', {}, () => Promise.resolve(log.info('within'))),
    );
    log.info('outside');
    await life.close();
    expect(isTracing()).toBe(false);
    const [work, statement] = ['work', 'statement'].map((name) =>
      collector.spans.find((span) => span.name === name)!,
    );
    expect(work!.service).toBe('quarry-spec');
    expect(JSON.parse(lines[0]!)).toMatchObject({ trace_id: work!.traceId, span_id: statement!.spanId });
    expect(JSON.parse(lines[1]!)).not.toHaveProperty('trace_id');
    expect(collector.lastHeaders).toMatchObject({ authorization: 'Bearer k=1', 'x-team': 'a' });
    await collector.stop();
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a b' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
    [{ OTEL_TRACES_SAMPLER: 'sometimes' }, 'OTEL_TRACES_SAMPLER'],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG'],
  ])('names an invalid variable: %j', (source, name) => {
    expect(() => loadEnv(SpecEnv, source as Record<string, string>)).toThrow(EnvError);
    expect(() => loadEnv(SpecEnv, source as Record<string, string>)).toThrow(name);
  });
});
