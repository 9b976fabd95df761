export { AddressGuard, hostAndPort, isPublicAddress, type AddressGuardOptions } from './address-guard.js';
export { DnsClient, UntrustedNamesError, type MailServer } from './dns.client.js';
export { GuardedProxy } from './guarded-proxy.js';
export { HostTurns } from './host-turns.js';
export { MailProbe, type MailAnswer, type MailProbeOptions, type MailReply } from './mail-probe.js';
export { OutboundClient, type OutboundAnswer, type OutboundRequest } from './outbound.client.js';
export { OutboundError, UnknownHostError, type OutboundFault } from './outbound.error.js';
export { Robots } from './robots.js';
export { readForOrganisation, readingOrganisation } from './reading-organisation.js';
