import { SAMPLERS, startTracing, type SamplerName, type Tracing } from '@quarry/tracing';
import { Transform } from 'class-transformer';
import { IsIn, IsNotEmpty, IsNumber, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { EnvVar, toList, toNumber } from '../env/env.js';
import { IsServerUrl } from '../env/server-url.validator.js';
import type { Lifecycle } from '../lifecycle/lifecycle.js';
import type { Logger } from '../telemetry/logger.js';

interface TracingVariables {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_HEADERS: string[];
  OTEL_SERVICE_NAME?: string;
  OTEL_TRACES_SAMPLER: SamplerName;
  OTEL_TRACES_SAMPLER_ARG: number;
}

/** Adds the destination of spans to an environment class: a mixin, because the apps have no other class in common. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the compiler takes mixins with these parameters only
export function withTracing<T extends new (...args: any[]) => object>(Base: T) {
  class TracingEnv extends Base {
    @EnvVar({
      group: 'observability',
      description:
        'Address of a collector for traces over OTLP/HTTP, http://collector:4318; nothing is traced when not set.',
    })
    @IsOptional()
    @IsServerUrl('http', 'https')
    OTEL_EXPORTER_OTLP_ENDPOINT?: string;

    @EnvVar({
      group: 'observability',
      description: 'Headers for the collector, name=value, …, percent-encoded.',
      secret: true,
    })
    @Transform(toList)
    @Matches(/^[A-Za-z0-9-]+=([^\s%,;]|%[0-9A-Fa-f]{2})*$/, {
      each: true,
      message: 'OTEL_EXPORTER_OTLP_HEADERS must be a list of name=value, percent-encoded',
    })
    OTEL_EXPORTER_OTLP_HEADERS: string[] = [];

    @EnvVar({
      group: 'observability',
      description: 'Name of the process in traces; quarry- and the name of the app when not set.',
    })
    @IsOptional()
    @IsString()
    @IsNotEmpty()
    OTEL_SERVICE_NAME?: string;

    @EnvVar({
      group: 'observability',
      description:
        'Which requests are traced: always_on, always_off or traceidratio, also with parentbased_.',
    })
    @IsIn(SAMPLERS)
    OTEL_TRACES_SAMPLER: SamplerName = 'parentbased_always_on';

    @EnvVar({
      group: 'observability',
      description: 'Share of the requests that traceidratio traces, 0 to 1.',
    })
    @Transform(toNumber)
    @IsNumber()
    @Min(0)
    @Max(1)
    OTEL_TRACES_SAMPLER_ARG: number = 1;
  }
  return TracingEnv;
}

/** Starts tracing as configured, until the process ends. Must be opened before the parts that are traced. */
export async function openTracing(
  env: TracingVariables,
  { app, life, logger }: { app: string; life: Lifecycle; logger: Logger },
): Promise<Tracing> {
  const settings = {
    endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    headers: Object.fromEntries(env.OTEL_EXPORTER_OTLP_HEADERS.map(headerOf)),
    serviceName: env.OTEL_SERVICE_NAME ?? `quarry-${app}`,
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
    onFault: (why: string) => logger.warn({ why }, 'traces could not be sent'),
  };
  return life.open(
    'tracing',
    () => startTracing(settings),
    (part) => part.close(),
  );
}

function headerOf(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), decodeURIComponent(value)];
  } catch {
    // A percent sign that escapes nothing is literal.
    return [text.slice(0, at), value];
  }
}
