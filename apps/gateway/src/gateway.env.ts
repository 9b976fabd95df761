import { HttpEdgeEnv } from '@quarry/edge';
import { EnvVar, toNumber, withRpcSecurity } from '@quarry/platform';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min } from 'class-validator';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const TCP_URL = /^tcp:\/\/[^\s:/]+:\d{1,5}$/;
const LOCAL = { require_tld: false, require_protocol: true };

/** Environment of the gateway: the public edge in front of the other services. */
export class GatewayEnv extends withRpcSecurity(HttpEdgeEnv) {
  @EnvVar({ description: 'Port of the metrics, for the internal network only.', default: '9464' })
  @Transform(toNumber)
  @IsInt()
  @Min(0)
  @Max(65_535)
  METRICS_PORT: number = 9464;

  @EnvVar({ description: 'Address that the metrics listen on.', default: '127.0.0.1' })
  @IsString()
  METRICS_HOST: string = '127.0.0.1';

  @EnvVar({ description: 'PostgreSQL that holds the API keys.', secret: true })
  @IsUrl({ ...LOCAL, protocols: ['postgres', 'postgresql'] })
  DATABASE_URL!: string;

  @EnvVar({
    description: 'Redis that all gateways count requests in; without it each counts by itself.',
    secret: true,
  })
  @IsOptional()
  @IsUrl({ ...LOCAL, protocols: ['redis', 'rediss'] })
  REDIS_URL?: string;

  @EnvVar({ description: 'Address of the tables service, tcp://host:port.' })
  @Matches(TCP_URL)
  TABLES_RPC_URL!: string;

  @EnvVar({ description: 'Address of the runs service, tcp://host:port.' })
  @Matches(TCP_URL)
  RUNS_RPC_URL!: string;

  @EnvVar({ description: 'Address of the services side of the job workers, tcp://host:port.' })
  @Matches(TCP_URL)
  SERVICES_RPC_URL!: string;

  @EnvVar({
    description:
      'Milliseconds between SIGTERM and the end of listening: /readyz answers 503 meanwhile, and balancers go elsewhere.',
    default: '5000',
  })
  @Transform(toNumber)
  @IsInt()
  @Min(0)
  @Max(60_000)
  LEAVE_MS: number = 5_000;

  @EnvVar({ description: 'Least level that is logged.', default: 'info' })
  @IsIn(LOG_LEVELS)
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';
}
