import { EnvVar, IsExistingPath, IsNetworkList, toList, withTracing, IsWholeNumber } from '@quarry/app';
import { Transform, Type } from 'class-transformer';
import { IsNotEmpty, IsNumber, IsOptional, IsPositive, IsString, IsUrl } from 'class-validator';

/** Environment of every process that serves the public API. Each app extends it. */
export class HttpEdgeEnv extends withTracing(class {}) {
  @EnvVar({ group: 'addresses', description: 'Port of the public API.' })
  @IsWholeNumber(0, 65_535)
  PORT: number = 3000;

  @EnvVar({ group: 'addresses', description: 'Address that the public API listens on.' })
  @IsString()
  @IsNotEmpty()
  HOST: string = '127.0.0.1';

  @EnvVar({
    group: 'addresses',
    description: 'Networks (CIDR, comma-separated) of proxies whose X-Forwarded-For is trusted.',
  })
  @Transform(toList)
  @IsNetworkList()
  TRUSTED_PROXIES: string[] = [];

  @EnvVar({
    group: 'addresses',
    description:
      'Origins (https://app.example, comma-separated) of web pages that may use /mcp, in addition to those of this machine.',
  })
  @Transform(toList)
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] }, { each: true })
  MCP_ORIGINS: string[] = [];

  @EnvVar({ group: 'limits', description: 'Seconds that POST /v1/go/run waits before it answers 202.' })
  @IsWholeNumber(1, 100)
  GO_SYNC_WAIT_SECONDS: number = 100;

  @EnvVar({
    group: 'addresses',
    description: 'Folder with the files of the web application; that of the package when not set.',
  })
  @IsOptional()
  @IsExistingPath()
  WEB_DIR?: string;

  @EnvVar({ group: 'limits', description: 'Factor for every rate limit.' })
  @Type(() => Number)
  @IsNumber()
  @IsPositive()
  RATE_LIMIT_SCALE: number = 1;
}
