import { EnvVar } from '@quarry/app';
import { RPC_PEERS } from './peer-list.js';
import { IsOptional, Matches } from 'class-validator';

/** Adds the address of the services side, which agents call to fill columns, to an environment class. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the compiler takes mixins with these parameters only
export function withServicesRpc<T extends new (...args: any[]) => object>(Base: T) {
  class ServicesRpcEnv extends Base {
    @EnvVar({
      group: 'calls',
      description:
        'Addresses of the fast services in the job workers, for columns that they fill: tcp://host:port, …; without it these columns fail.',
    })
    @IsOptional()
    @Matches(RPC_PEERS, {
      message: 'SERVICES_RPC_URL must be tcp://host:port, or several of them, comma-separated',
    })
    SERVICES_RPC_URL?: string;
  }
  return ServicesRpcEnv;
}
