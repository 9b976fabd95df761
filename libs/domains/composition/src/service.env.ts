import { EnvVar, IsServerUrl, withTracing, IsWholeNumber } from '@quarry/app';
import { withRpcSecurity } from '@quarry/rpc';
import { IsIn, IsNotEmpty, IsOptional, IsString, IsUrl, MinLength } from 'class-validator';
import { withRetention } from './retention.env.js';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** Environment of every service behind the gateway. Each app's own class extends it. */
export class ServiceEnv extends withRetention(withTracing(withRpcSecurity(class {}))) {
  @EnvVar({ group: 'storage', description: 'PostgreSQL of the product, postgres://…', secret: true })
  @IsServerUrl('postgres', 'postgresql')
  DATABASE_URL!: string;

  @EnvVar({
    group: 'storage',
    description: 'Queues: redis://… or postgres://…; the database when not set.',
    secret: true,
  })
  @IsOptional()
  @IsServerUrl('redis', 'rediss', 'postgres', 'postgresql')
  QUEUE_URL?: string;

  @EnvVar({
    group: 'storage',
    description: 'Database connections for transactions; the values of docs/scaling.md when not set.',
  })
  @IsOptional()
  @IsWholeNumber(2, 100)
  DATABASE_POOL_SIZE?: number;

  @EnvVar({
    group: 'secrets',
    description: 'Secret that signs page cursors, the same in every process; 32 characters or more.',
    secret: true,
  })
  @IsString()
  @MinLength(32)
  CURSOR_SECRET!: string;

  @EnvVar({ group: 'calls', description: 'Address that calls from other services are accepted on.' })
  @IsString()
  @IsNotEmpty()
  RPC_HOST: string = '127.0.0.1';

  @EnvVar({ group: 'calls', description: 'Port that calls from other services are accepted on.' })
  @IsWholeNumber(1, 65_535)
  RPC_PORT: number = 4000;

  @EnvVar({ group: 'observability', description: 'Address of /metrics, /healthz and /readyz.' })
  @IsString()
  @IsNotEmpty()
  METRICS_HOST: string = '127.0.0.1';

  @EnvVar({
    group: 'observability',
    description: 'Port of /metrics, /healthz and /readyz; none when not set.',
  })
  @IsOptional()
  @IsWholeNumber(1, 65_535)
  METRICS_PORT?: number;

  @EnvVar({ group: 'observability', description: 'Minimum log level.' })
  @IsIn(LOG_LEVELS)
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';
}

/** A service whose responses link to the web application. */
export class LinkingServiceEnv extends ServiceEnv {
  @EnvVar({ group: 'addresses', description: 'Address of the web application, for links.' })
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  APP_URL!: string;
}
