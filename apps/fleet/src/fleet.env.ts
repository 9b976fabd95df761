import { EnvVar, IsServerUrl, IsSwitch, IsWholeNumber } from '@quarry/app';
import { IsIn, IsNotEmpty, IsOptional, IsString, IsUrl } from 'class-validator';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const WEB_URL = { require_tld: false, require_protocol: true, protocols: ['http', 'https'] };

/** Environment of a fleet on one machine. Variables that it does not declare are passed to its processes unchanged. */
export class FleetEnv {
  @EnvVar({
    group: 'addresses',
    description: 'Port of the first gateway; the others take the next ones. 0: free ones.',
  })
  @IsWholeNumber(0, 65_000)
  PORT: number = 3000;

  @EnvVar({ group: 'addresses', description: 'Address that the gateways listen on.' })
  @IsString()
  @IsNotEmpty()
  HOST: string = '127.0.0.1';

  @EnvVar({ group: 'limits', description: 'Number of gateways.' })
  @IsWholeNumber(1, 16)
  GATEWAYS: number = 2;

  @EnvVar({ group: 'limits', description: 'Number of processes of the tables service.' })
  @IsWholeNumber(1, 16)
  TABLES: number = 2;

  @EnvVar({ group: 'limits', description: 'Number of processes that answer calls about runs.' })
  @IsWholeNumber(1, 16)
  RUNS_AGENTS: number = 1;

  @EnvVar({
    group: 'limits',
    description: 'Number of processes that answer calls about services, credits and batches.',
  })
  @IsWholeNumber(1, 16)
  SERVICES: number = 1;

  @EnvVar({ group: 'limits', description: 'Number of workers of each queue.' })
  @IsWholeNumber(1, 16)
  WORKERS: number = 1;

  @EnvVar({
    group: 'addresses',
    description: 'Folder of the embedded PostgreSQL, the queues, the credentials and the secrets.',
  })
  @IsString()
  @IsNotEmpty()
  DATA_DIR: string = '.data';

  @EnvVar({
    group: 'storage',
    description: 'PostgreSQL to use instead of the embedded one, postgres://…',
    secret: true,
  })
  @IsOptional()
  @IsServerUrl('postgres', 'postgresql')
  DATABASE_URL?: string;

  @EnvVar({
    group: 'storage',
    description:
      'Queues: redis://… or postgres://…; a Redis of its own when not set, or the database where redis-server is not installed.',
    secret: true,
  })
  @IsOptional()
  @IsServerUrl('redis', 'rediss', 'postgres', 'postgresql')
  QUEUE_URL?: string;

  @EnvVar({
    group: 'storage',
    description:
      'Whether the fleet starts its own Redis for the queues when QUEUE_URL is not set, on or off.',
  })
  @IsSwitch()
  OWN_REDIS: boolean = true;

  @EnvVar({
    group: 'addresses',
    description:
      'Address under which clients reach the API, such as a balancer’s; the first gateway when not set.',
  })
  @IsOptional()
  @IsUrl(WEB_URL)
  BASE_URL?: string;

  @EnvVar({
    group: 'addresses',
    description: 'Address of the web application, for links; BASE_URL with /app when not set.',
  })
  @IsOptional()
  @IsUrl(WEB_URL)
  APP_URL?: string;

  @EnvVar({
    group: 'providers',
    description: 'Whether the sandbox answers live keys where no vendor does (docs/providers.md), on or off.',
  })
  @IsSwitch()
  SANDBOX: boolean = true;

  @EnvVar({
    group: 'observability',
    description:
      'Port of the first process’s metrics; the others take the next ones. Free ones when not set.',
  })
  @IsOptional()
  @IsWholeNumber(1, 65_000)
  METRICS_PORT?: number;

  @EnvVar({ group: 'limits', description: 'Milliseconds for running jobs at a stop.' })
  @IsWholeNumber(0)
  DRAIN_MS: number = 10_000;

  @EnvVar({
    group: 'limits',
    description: 'Milliseconds that a gateway continues to serve at a stop, for a balancer in front.',
  })
  @IsWholeNumber(0, 60_000)
  SHUTDOWN_DELAY_MS: number = 0;

  @EnvVar({ group: 'observability', description: 'Lowest level that is shown of the processes’ logs.' })
  @IsIn(LOG_LEVELS)
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'warn';
}
