import { withRetention } from '@quarry/composition';
import { withPlanner } from '@quarry/language-models';
import { withProviders } from '@quarry/providers';
import { HttpEdgeEnv } from '@quarry/http';
import { EnvVar, IsServerUrl, IsSwitch, IsWholeNumber } from '@quarry/app';
import { IsIn, IsNotEmpty, IsOptional, IsString, IsUrl } from 'class-validator';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const WEB_URL = { require_tld: false, require_protocol: true, protocols: ['http', 'https'] };

/** Environment of the whole product in one process. */
export class LocalEnv extends withRetention(withPlanner(withProviders(HttpEdgeEnv))) {
  @EnvVar({
    group: 'addresses',
    description: 'Folder of the embedded PostgreSQL, the credentials and the secrets.',
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
    description: 'Queues: redis://… or postgres://…; the database when not set.',
    secret: true,
  })
  @IsOptional()
  @IsServerUrl('redis', 'rediss', 'postgres', 'postgresql')
  QUEUE_URL?: string;

  @EnvVar({
    group: 'addresses',
    description: 'Address under which clients reach the API; derived from HOST and PORT when not set.',
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

  @EnvVar({ group: 'observability', description: 'Port of /metrics on 127.0.0.1; none when not set.' })
  @IsOptional()
  @IsWholeNumber(1, 65_535)
  METRICS_PORT?: number;

  @EnvVar({ group: 'observability', description: 'Minimum log level.' })
  @IsIn(LOG_LEVELS)
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'warn';
}
