import { ServiceEnv } from '@quarry/composition';
import { EnvVar } from '@quarry/platform';
import { IsString, IsUrl, MinLength } from 'class-validator';

/** Environment of the tables service. */
export class TablesEnv extends ServiceEnv {
  @EnvVar({ description: 'Address of the web application, for links.' })
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  APP_URL!: string;

  @EnvVar({
    description: 'Signs page cursors; the same in every process that serves tables. 32 characters or more.',
    secret: true,
  })
  @IsString()
  @MinLength(32)
  CURSOR_SECRET!: string;
}
