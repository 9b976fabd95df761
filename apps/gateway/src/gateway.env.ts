import { HttpEdgeEnv } from '@quarry/http';
import { EnvVar, IsServerUrl, IsWholeNumber } from '@quarry/app';
import { RPC_PEERS, withRpcSecurity } from '@quarry/rpc';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsString, IsUrl, Matches } from 'class-validator';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const NAMED = 'must be tcp://host:port, or several of them, comma-separated';

/** Environment of the gateway: the public edge in front of the other services. */
export class GatewayEnv extends withRpcSecurity(HttpEdgeEnv) {
  @EnvVar({ group: 'observability', description: 'Port of /metrics, for the internal network only.' })
  @IsWholeNumber(0, 65_535)
  METRICS_PORT: number = 9464;

  @EnvVar({ group: 'observability', description: 'Address that /metrics listens on.' })
  @IsString()
  METRICS_HOST: string = '127.0.0.1';

  @EnvVar({ group: 'storage', description: 'PostgreSQL that holds the API keys.', secret: true })
  @IsServerUrl('postgres', 'postgresql')
  DATABASE_URL!: string;

  @EnvVar({
    group: 'storage',
    description: 'Redis in which all gateways count requests; without it each gateway counts its own.',
    secret: true,
  })
  @IsOptional()
  @IsServerUrl('redis', 'rediss')
  REDIS_URL?: string;

  @EnvVar({
    group: 'addresses',
    description:
      'Address of the web application, for links of invitations; by default /app at the address of the request.',
  })
  @IsOptional()
  @Transform(({ value }) => (typeof value === 'string' ? value.replace(/\/+$/, '') : (value as unknown)))
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  APP_URL?: string;

  @EnvVar({ group: 'calls', description: 'Addresses of the tables service: tcp://host:port, …' })
  @Matches(RPC_PEERS, { message: `TABLES_RPC_URL ${NAMED}` })
  TABLES_RPC_URL!: string;

  @EnvVar({ group: 'calls', description: 'Addresses of the runs service: tcp://host:port, …' })
  @Matches(RPC_PEERS, { message: `RUNS_RPC_URL ${NAMED}` })
  RUNS_RPC_URL!: string;

  @EnvVar({
    group: 'calls',
    description: 'Addresses of the services side of the job workers: tcp://host:port, …',
  })
  @Matches(RPC_PEERS, { message: `SERVICES_RPC_URL ${NAMED}` })
  SERVICES_RPC_URL!: string;

  @EnvVar({
    group: 'limits',
    description:
      'Milliseconds between SIGTERM and the end of listening, during which /readyz answers 503, so that load balancers stop sending requests.',
  })
  @IsWholeNumber(0, 60_000)
  SHUTDOWN_DELAY_MS: number = 5_000;

  @EnvVar({ group: 'observability', description: 'Minimum log level.' })
  @IsIn(LOG_LEVELS)
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';
}
