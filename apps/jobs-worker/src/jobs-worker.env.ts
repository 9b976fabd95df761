import { ServiceEnv } from '@quarry/composition';
import { withModel } from '@quarry/language-models';
import { withProviders } from '@quarry/providers';
import { withServicesRpc } from '@quarry/rpc';
import { EnvVar, toList, IsSwitch, IsWholeNumber } from '@quarry/app';
import { WORKER_QUEUES, type WorkerQueue } from '@quarry/dto';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsUrl } from 'class-validator';

/** Environment of a jobs worker. */
export class JobsWorkerEnv extends withServicesRpc(withModel(withProviders(ServiceEnv))) {
  @EnvVar({
    group: 'storage',
    description: 'Queues that this process consumes, comma-separated; all when not set, "none" for none.',
  })
  @Transform((value) => (value.value === 'none' ? [] : toList(value)))
  @IsIn(WORKER_QUEUES, {
    each: true,
    message: `WORKER_QUEUES must name queues of: ${WORKER_QUEUES.join(', ')}`,
  })
  WORKER_QUEUES: WorkerQueue[] = [...WORKER_QUEUES];

  @EnvVar({
    group: 'calls',
    description: 'Whether this process also answers calls for batches, jobs, catalogue and credits.',
  })
  @IsSwitch()
  SERVICES_RPC: boolean = false;

  @EnvVar({
    group: 'addresses',
    description: 'Address of the API for recipients of mail: unsubscribe links begin with it.',
  })
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  BASE_URL: string = 'http://127.0.0.1:3000';

  @EnvVar({
    group: 'providers',
    description: 'Whether the sandbox answers live keys where no vendor does (docs/providers.md), on or off.',
  })
  @IsSwitch()
  SANDBOX: boolean = false;

  @EnvVar({
    group: 'limits',
    description: 'Maximum milliseconds of one search; the deadline of its service when not set.',
  })
  @IsOptional()
  @IsWholeNumber(1000)
  SEARCH_DEADLINE_MS?: number;

  @EnvVar({
    group: 'limits',
    description: 'Milliseconds for running jobs after SIGTERM before they are returned.',
  })
  @IsWholeNumber(0)
  DRAIN_MS: number = 120_000;

  @EnvVar({
    group: 'limits',
    description: 'Milliseconds of a job’s lease; the jobs of a killed worker wait for its end.',
  })
  @IsWholeNumber(1500)
  LEASE_MS: number = 30_000;
}
