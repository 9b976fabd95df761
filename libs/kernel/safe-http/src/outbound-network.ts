import { AddressGuard, hostAndPort } from './address-guard.js';
import { DnsClient } from './dns.client.js';
import { OutboundClient } from './outbound.client.js';

/** The operator's rules for connections out of a process. */
export interface NetworkSettings {
  /** `host:port` pairs that may be connected to although they are not public: tests, and the operator's own network. */
  allowHosts?: readonly string[];
  /** Name servers as `host:port`; those of the system when empty. */
  dnsServers?: readonly string[];
  /** Names by which it is known whether a name server is to be trusted; the usual ones when left out. */
  controlNames?: readonly string[];
}

/**
 * The way out of a process for one purpose. Address guards are made here and nowhere else, each with the rules of its purpose:
 * a host that the operator has allowed for models is not one that a webhook may reach.
 */
export class OutboundNetwork {
  readonly dns: DnsClient;
  readonly guard: AddressGuard;

  /** @param ports ports that may be connected to beside the usual ones of http and https */
  constructor({ allowHosts, dnsServers, controlNames }: NetworkSettings = {}, ports: readonly number[] = []) {
    this.dns = new DnsClient(dnsServers, controlNames);
    this.guard = new AddressGuard({ ...(allowHosts ? { allowHosts } : {}), dns: this.dns, ports });
  }

  /**
   * Returns the network of one server that the operator has named: it may be anywhere, and its redirects only where the public is.
   * @param url absolute address of the server; of a text that is none nothing is allowed
   */
  static clientFor(url: string, settings: Omit<NetworkSettings, 'allowHosts'> = {}): OutboundNetwork {
    return new OutboundNetwork({ ...settings, allowHosts: URL.canParse(url) ? [hostAndPort(url)] : [] });
  }

  /** @param userAgent name of this program in each request. @returns a client of its own, to be closed by the caller */
  openClient(userAgent = 'Quarry'): OutboundClient {
    return new OutboundClient(this.guard, userAgent);
  }
}
