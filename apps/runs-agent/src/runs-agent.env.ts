import { LinkingServiceEnv } from '@quarry/composition';
import { withPlanner } from '@quarry/language-models';
import { withProviders } from '@quarry/providers';
import { withServicesRpc } from '@quarry/rpc';
import { EnvVar, IsSwitch } from '@quarry/app';

/** Environment of the runs-agent service. */
export class RunsAgentEnv extends withServicesRpc(withPlanner(withProviders(LinkingServiceEnv))) {
  @EnvVar({
    group: 'limits',
    description: 'Whether this process works on runs, on or off; when off, it only answers calls.',
  })
  @IsSwitch()
  AGENT: boolean = true;

  @EnvVar({
    group: 'providers',
    description: 'Whether the sandbox answers live keys where no vendor does (docs/providers.md), on or off.',
  })
  @IsSwitch()
  SANDBOX: boolean = false;
}
