import { AddressGuard, DnsClient, OutboundClient } from '@quarry/outbound';
import type { LookupProvider } from '../ports/lookup.port.js';
import { DomainInfoProvider } from './domain-info.provider.js';
import { PageReader } from './pages/page-reader.js';
import { ScrapeUrlProvider } from './pages/scrape-url.provider.js';
import { SiteMapProvider } from './pages/site-map.provider.js';
import { SocialsProvider } from './pages/socials.provider.js';
import { TechProvider } from './pages/tech.provider.js';
import { PhoneProvider } from './phone.provider.js';

/** Under which sites address this program in their robots.txt. */
const PRODUCT = 'QuarryBot';
const USER_AGENT = `${PRODUCT}/1.0`;

/** How the web is read. */
export interface WebSettings {
  /** `host:port` of servers that may be read although they are not public. */
  allowHosts: readonly string[];
  /** Name servers as `host:port`; the system's when empty. */
  dnsServers: readonly string[];
  /** How mail servers are asked; null asks none. */
  mail: MailProbeOptions | null;
  /** Addresses of job boards that are not the boards' own, by the id of the board. */
  boardUrls: Readonly<Record<string, string>>;
  /** Feed that searches the news, with `{query}` in it; null for none. */
  newsFeedUrl: string | null;
}

/** @returns who answers services with nothing but the network and what the product brings along */
export function keylessProviders({ allowHosts, dnsServers }: WebSettings): LookupProvider[] {
  const dns = new DnsClient(dnsServers);
  const client = new OutboundClient(new AddressGuard({ allowHosts, dns }), USER_AGENT);
  const reader = new PageReader(client, PRODUCT);
  return [
    new ScrapeUrlProvider(reader),
    new SiteMapProvider(reader),
    new SocialsProvider(reader),
    new TechProvider(reader),
    new DomainInfoProvider({ dns, client, reader }),
    new PhoneProvider(),
  ];
}
