import { LinkingServiceEnv } from '@quarry/composition';
import { withPlanner } from '@quarry/language-models';
import { withProviders } from '@quarry/providers';
import { withServicesRpc } from '@quarry/rpc';
import { EnvVar, toSwitch } from '@quarry/app';
import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';

/** Environment of the runs-agent service. */
export class RunsAgentEnv extends withServicesRpc(withPlanner(withProviders(LinkingServiceEnv))) {
  @EnvVar({
    group: 'limits',
    description: 'Whether this process works on runs, on or off; off: it only answers calls.',
    default: 'on',
  })
  @Transform(toSwitch)
  @IsBoolean({ message: 'AGENT must be on or off' })
  AGENT: boolean = true;

  @EnvVar({
    group: 'providers',
    description: 'Whether the sandbox answers live keys where no vendor does (docs/providers.md), on or off.',
    default: 'off',
  })
  @Transform(toSwitch)
  @IsBoolean({ message: 'SANDBOX must be on or off' })
  SANDBOX: boolean = false;
}
