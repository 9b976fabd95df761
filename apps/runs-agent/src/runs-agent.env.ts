import { ServiceEnv } from '@quarry/composition';
import { EnvVar, toSwitch } from '@quarry/platform';
import { Transform } from 'class-transformer';
import { IsBoolean, IsString, IsUrl, MinLength } from 'class-validator';

/** Environment of the runs-agent service. */
export class RunsAgentEnv extends ServiceEnv {
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

  @EnvVar({
    description: 'Whether this process works on runs, on or off; off: it only answers calls.',
    default: 'on',
  })
  @Transform(toSwitch)
  @IsBoolean({ message: 'AGENT must be on or off' })
  AGENT: boolean = true;

  @EnvVar({ description: 'Whether the sandbox answers live keys, on or off.', default: 'off' })
  @Transform(toSwitch)
  @IsBoolean({ message: 'SANDBOX must be on or off' })
  SANDBOX: boolean = false;
}
