import { AddressGuard, hostAndPort } from './address-guard.js';
import { DnsClient } from './dns.client.js';
import { OutboundClient } from './outbound.client.js';

/** The operator's rules for outbound connections. */
export interface NetworkSettings {
  /** `host:port` pairs that are allowed although they are not public: tests, and the operator's network. */
  allowHosts?: readonly string[];
  /** Name servers as `host:port`; those of the system if empty. */
  dnsServers?: readonly string[];
  /** Control names that show whether a name server can be trusted; the usual ones by default. */
  controlNames?: readonly string[];
}

/**
 * Outbound network access of a process for one purpose. Address guards are only created here, each with the rules of its
 * purpose: a host that the operator has allowed for models must not be reachable by a webhook.
 */
export class OutboundNetwork {
  readonly dns: DnsClient;
  readonly guard: AddressGuard;

  /** @param ports allowed ports in addition to the default ones of http and https */
  constructor({ allowHosts, dnsServers, controlNames }: NetworkSettings = {}, ports: readonly number[] = []) {
    this.dns = new DnsClient(dnsServers, controlNames);
    this.guard = new AddressGuard({ ...(allowHosts ? { allowHosts } : {}), dns: this.dns, ports });
  }

  /**
   * Returns the network for one server that the operator has configured: it may be anywhere, but its redirects must be public.
   * @param url absolute URL of the server; an invalid one allows nothing
   */
  static clientFor(url: string, settings: Omit<NetworkSettings, 'allowHosts'> = {}): OutboundNetwork {
    return new OutboundNetwork({ ...settings, allowHosts: URL.canParse(url) ? [hostAndPort(url)] : [] });
  }

  /** @param userAgent User-Agent of each request. @returns a separate client, to be closed by the caller */
  openClient(userAgent = 'Quarry'): OutboundClient {
    return new OutboundClient(this.guard, userAgent);
  }
}
