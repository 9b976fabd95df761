import { EnvVar, RPC_PEERS } from '@quarry/platform';
import { IsOptional, Matches } from 'class-validator';

type EnvClass = new (...args: any[]) => object;

/** @returns an environment class of a process whose agents ask the services side for columns */
export function withServicesRpc<Base extends EnvClass>(base: Base) {
  class ServicesRpcEnv extends base {
    @EnvVar({
      description:
        'Addresses of the services side of the job workers, for columns that fast services fill: tcp://host:port, …; without it these columns fail.',
    })
    @IsOptional()
    @Matches(RPC_PEERS, {
      message: 'SERVICES_RPC_URL must be tcp://host:port, or several of them, comma-separated',
    })
    SERVICES_RPC_URL?: string;
  }
  return ServicesRpcEnv;
}
