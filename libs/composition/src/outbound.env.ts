import { EnvVar, toList } from '@quarry/platform';
import type { WebSettings } from '@quarry/providers';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';

const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?):\d{1,5}$/i;

/** Adds what is known of the network to an environment class: the apps that read the web have no other class in common. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the compiler takes mixins with these parameters only
export function withOutbound<T extends new (...args: any[]) => object>(Base: T) {
  class OutboundEnv extends Base {
    @EnvVar({
      description:
        'Hosts of your own network that pages may be read from although they are not public: host:port, …',
    })
    @Transform(toList)
    @Matches(HOST_AND_PORT, { each: true, message: 'FETCH_ALLOW_HOSTS must be a list of host:port' })
    FETCH_ALLOW_HOSTS: string[] = [];

    @EnvVar({ description: "Name servers as host:port, …; the system's when not set." })
    @Transform(toList)
    @Matches(HOST_AND_PORT, { each: true, message: 'DNS_SERVERS must be a list of host:port' })
    DNS_SERVERS: string[] = [];
  }
  return OutboundEnv;
}

/** @returns how the web is read */
export function webOf(env: InstanceType<ReturnType<typeof withOutbound>>): WebSettings {
  return { allowHosts: env.FETCH_ALLOW_HOSTS, dnsServers: env.DNS_SERVERS };
}
