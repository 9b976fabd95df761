import { EnvVar, IsNetworkList, IsServerUrl, toList, toNumber, toSwitch } from '@quarry/platform';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  IsUrl,
  Max,
  Min,
} from 'class-validator';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const WEB_URL = { require_tld: false, require_protocol: true, protocols: ['http', 'https'] };

/** Environment of the whole product in one process. */
export class LocalEnv {
  @EnvVar({ description: 'Port of the public API.', default: '3000' })
  @Transform(toNumber)
  @IsInt()
  @Min(0)
  @Max(65_535)
  PORT: number = 3000;

  @EnvVar({ description: 'Address that the public API listens on.', default: '127.0.0.1' })
  @IsString()
  @IsNotEmpty()
  HOST: string = '127.0.0.1';

  @EnvVar({
    description: 'Folder of the embedded PostgreSQL, the credentials and the secrets.',
    default: '.data',
  })
  @IsString()
  @IsNotEmpty()
  DATA_DIR: string = '.data';

  @EnvVar({ description: 'PostgreSQL to use instead of the embedded one, postgres://…', secret: true })
  @IsOptional()
  @IsServerUrl('postgres', 'postgresql')
  DATABASE_URL?: string;

  @EnvVar({ description: 'Queues: redis://… or postgres://…; the database when not set.', secret: true })
  @IsOptional()
  @IsServerUrl('redis', 'rediss', 'postgres', 'postgresql')
  QUEUE_URL?: string;

  @EnvVar({ description: 'Address under which clients reach the API; from HOST and PORT when not set.' })
  @IsOptional()
  @IsUrl(WEB_URL)
  BASE_URL?: string;

  @EnvVar({ description: 'Address of the web application, for links; BASE_URL when not set.' })
  @IsOptional()
  @IsUrl(WEB_URL)
  APP_URL?: string;

  @EnvVar({ description: 'Whether the sandbox answers live keys, on or off.', default: 'on' })
  @Transform(toSwitch)
  @IsBoolean({ message: 'SANDBOX must be on or off' })
  SANDBOX: boolean = true;

  @EnvVar({ description: 'Networks (CIDR, comma-separated) of proxies whose X-Forwarded-For is believed.' })
  @Transform(toList)
  @IsNetworkList()
  TRUSTED_PROXIES: string[] = [];

  @EnvVar({ description: 'Multiplies every rate budget.', default: '1' })
  @Transform(toNumber)
  @IsNumber()
  @IsPositive()
  RATE_LIMIT_SCALE: number = 1;

  @EnvVar({ description: 'Port of /metrics on 127.0.0.1; none when not set.' })
  @IsOptional()
  @Transform(toNumber)
  @IsInt()
  @Min(1)
  @Max(65_535)
  METRICS_PORT?: number;

  @EnvVar({ description: 'Least level that is logged.', default: 'warn' })
  @IsIn(LOG_LEVELS)
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'warn';
}
