import { readFileSync } from 'node:fs';
import { Transform } from 'class-transformer';
import { ArrayNotEmpty, IsString, Matches, ValidateIf } from 'class-validator';
import { EnvError, EnvVar, toList, IsSwitch } from '@quarry/app';
import type { RpcSecurity } from './rpc-security.js';

interface RpcVariables {
  RPC_AUTH: boolean;
  RPC_SECRETS: string[];
  RPC_TLS_CERT?: string;
  RPC_TLS_KEY?: string;
  RPC_TLS_CA?: string;
  /** Of a jobs worker: when off, it answers no calls. */
  SERVICES_RPC?: boolean;
}

const isTlsMeant = (env: object): boolean => {
  const { RPC_TLS_CERT, RPC_TLS_KEY, RPC_TLS_CA } = env as RpcVariables;
  return [RPC_TLS_CERT, RPC_TLS_KEY, RPC_TLS_CA].some((file) => file !== undefined);
};

// Without TLS, only the secret distinguishes the callers of a service from others.
const isSecretNeeded = (env: object): boolean => {
  const { RPC_AUTH, RPC_SECRETS, SERVICES_RPC } = env as RpcVariables;
  if (RPC_SECRETS.length > 0) return true;
  return RPC_AUTH && SERVICES_RPC !== false && !isTlsMeant(env);
};

const MAKE_ONE = `node -p "crypto.randomBytes(32).toString('hex')"`;

/**
 * Adds the secrets and certificates of calls between processes to an environment class. A mixin, because the gateway and the
 * services have no base class in common.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the compiler takes mixins with these parameters only
export function withRpcSecurity<T extends new (...args: any[]) => object>(Base: T) {
  class RpcSecurityEnv extends Base {
    @EnvVar({
      group: 'calls',
      description: 'Whether calls between processes must be signed or use mutual TLS; on or off.',
    })
    @IsSwitch()
    RPC_AUTH: boolean = true;

    @EnvVar({
      group: 'calls',
      description:
        'Secrets of 32 characters or more that sign calls between processes, comma-separated: the first one signs, all are accepted. The same in every process.',
      secret: true,
    })
    @Transform(toList)
    @ValidateIf(isSecretNeeded)
    @ArrayNotEmpty({
      message: `RPC_SECRETS is required, with the same value in every process. Create a secret with ${MAKE_ONE}, or set RPC_TLS_CERT, RPC_TLS_KEY and RPC_TLS_CA, or switch it off with RPC_AUTH=off`,
    })
    @Matches(/^\S{32,}$/, { each: true, message: 'RPC_SECRETS must have 32 characters or more each' })
    RPC_SECRETS: string[] = [];

    @EnvVar({
      group: 'calls',
      description: 'File (PEM) with the certificate of this process, for mutual TLS.',
    })
    @ValidateIf(isTlsMeant)
    @IsString()
    RPC_TLS_CERT?: string;

    @EnvVar({ group: 'calls', description: 'File (PEM) with the key of that certificate.' })
    @ValidateIf(isTlsMeant)
    @IsString()
    RPC_TLS_KEY?: string;

    @EnvVar({
      group: 'calls',
      description: 'File (PEM) with the certificate authority of the other processes.',
    })
    @ValidateIf(isTlsMeant)
    @IsString()
    RPC_TLS_CA?: string;
  }
  return RpcSecurityEnv;
}

/** Reads the files that an environment names. @throws EnvError naming every file that cannot be read */
export function rpcSecurityOf(env: InstanceType<ReturnType<typeof withRpcSecurity>>): RpcSecurity {
  const secrets = env.RPC_AUTH ? env.RPC_SECRETS : [];
  if (env.RPC_TLS_CERT === undefined) return { secrets, tls: null };
  const faults: string[] = [];
  const read = (name: 'RPC_TLS_CERT' | 'RPC_TLS_KEY' | 'RPC_TLS_CA'): string => {
    try {
      return readFileSync(env[name]!, 'utf8');
    } catch (error) {
      faults.push(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code}, it is "${env[name]}")`);
      return '';
    }
  };
  const tls = { cert: read('RPC_TLS_CERT'), key: read('RPC_TLS_KEY'), ca: read('RPC_TLS_CA') };
  if (faults.length > 0) throw new EnvError(faults);
  return { secrets, tls };
}
