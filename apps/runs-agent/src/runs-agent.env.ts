import { LinkingServiceEnv, withPlanner } from '@quarry/composition';
import { EnvVar, RPC_PEERS, toSwitch } from '@quarry/platform';
import { Transform } from 'class-transformer';
import { IsBoolean, IsOptional, Matches } from 'class-validator';

/** Environment of the runs-agent service. */
export class RunsAgentEnv extends withPlanner(LinkingServiceEnv) {
  @EnvVar({
    description: 'Whether this process works on runs, on or off; off: it only answers calls.',
    default: 'on',
  })
  @Transform(toSwitch)
  @IsBoolean({ message: 'AGENT must be on or off' })
  AGENT: boolean = true;

  @EnvVar({
    description:
      'Addresses of the services side of the job workers, for columns that fast services fill: tcp://host:port, …; without it these columns fail.',
  })
  @IsOptional()
  @Matches(RPC_PEERS, {
    message: 'SERVICES_RPC_URL must be tcp://host:port, or several of them, comma-separated',
  })
  SERVICES_RPC_URL?: string;

  @EnvVar({ description: 'Whether the sandbox answers live keys, on or off.', default: 'off' })
  @Transform(toSwitch)
  @IsBoolean({ message: 'SANDBOX must be on or off' })
  SANDBOX: boolean = false;
}
