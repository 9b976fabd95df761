import { parseBoundedJson } from '@quarry/resilience';
import { OutboundError, type DnsClient, type OutboundClient } from '@quarry/safe-http';
import { z } from 'zod';
import {
  answerOf,
  listOf,
  type ProviderAnswer,
  type ProviderCall,
  type LookupProvider,
  ProviderFailure,
} from '@quarry/engine';
import { pageFailure } from './pages/page-failure.js';
import type { PageReader } from './pages/page-reader.js';
import { refusalOf } from './pages/site-pages.js';

/** Service that redirects to the registry responsible for a name. Source: rdap.org, after RFC 9224. */
const RDAP_URL = 'https://rdap.org';
const RDAP_BYTES_MAX = 1_000_000;
const RDAP_ITEMS_MAX = 1_000;
const RDAP_MS = 8_000;
const DOMAIN = /^(?=.{4,253}$)([a-z0-9_]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** Part of a registration that is read. Source: RFC 9083. */
const registrationSchema = z.object({
  events: listOf(z.object({ eventAction: z.string(), eventDate: z.string() })).default([]),
  entities: listOf(z.object({ roles: listOf(z.string()).default([]), vcardArray: z.unknown() })).default([]),
});

export interface DomainInfoParts {
  dns: DnsClient;
  client: OutboundClient;
  reader: PageReader;
  /** RDAP server; if omitted, the public one. */
  rdapUrl?: string;
}

/** Implements domainInfo with name servers, the registry and the home page. Facts that cannot be found are null. */
export class DomainInfoProvider implements LookupProvider {
  readonly id = 'dns';
  readonly services = ['domainInfo'];

  constructor(private readonly parts: DomainInfoParts) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const domain = this.domainOf((input as { domain: string }).domain);
    const { dns } = this.parts;
    const [nameservers, mx, texts, policies, registration, site] = await Promise.all([
      dns.nameServers(domain),
      dns.mailServers(domain),
      dns.resolveTexts(domain),
      dns.resolveTexts(`_dmarc.${domain}`),
      this.readRegistration(domain, signal),
      this.checkSite(domain, signal),
    ]).catch(pageFailure(this.id));
    return answerOf(this.id, true, {
      domain,
      ...registration,
      nameservers,
      mx,
      spf: texts.find((text) => /^v=spf1( |$)/i.test(text)) ?? null,
      dmarc: policies.find((text) => /^v=DMARC1\b/i.test(text)) ?? null,
      ...site,
    });
  }

  private domainOf(text: string): string {
    const domain = (URL.parse(text)?.hostname || URL.parse(`http://${text}`)?.hostname || '').replace(
      /\.$/,
      '',
    );
    if (DOMAIN.test(domain)) return domain;
    throw new ProviderFailure('provider_rejected', 'The input is not a domain.', { provider: this.id });
  }

  private async readRegistration(domain: string, signal: AbortSignal): Promise<Registration> {
    const { client, rdapUrl = RDAP_URL } = this.parts;
    try {
      const url = `${rdapUrl}/domain/${encodeURIComponent(domain)}`;
      const headers = { accept: 'application/rdap+json' };
      const { status, bytes } = await client.sendRequest({
        url,
        headers,
        signal,
        timeoutMs: RDAP_MS,
        bytesMax: RDAP_BYTES_MAX,
      });
      return status === 200 ? registrationIn(bytes) : UNREGISTERED;
    } catch (error) {
      if (error instanceof OutboundError || error instanceof SyntaxError) return UNREGISTERED;
      throw error;
    }
  }

  /** Checks the home page. An unreachable site does not exist; one that must not or cannot be read is unknown (null). */
  private async checkSite(
    domain: string,
    signal: AbortSignal,
  ): Promise<{ has_website: boolean | null; title: string | null }> {
    try {
      const { status, title } = await this.parts.reader.readPage(domain, { signal });
      const isKnown = refusalOf({ status }) === null;
      return { has_website: isKnown ? status < 400 : null, title: status < 400 ? title : null };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { has_website: error.fault === 'unreachable' ? false : null, title: null };
    }
  }
}

interface Registration {
  registered_at: string | null;
  expires_at: string | null;
  registrar: string | null;
}

const UNREGISTERED: Registration = { registered_at: null, expires_at: null, registrar: null };

/** @returns the registration data of a domain. @throws SyntaxError when it is not JSON, or too large */
export function registrationIn(bytes: Buffer): Registration {
  const record = parseBoundedJson(bytes.toString('utf8'), { itemsMax: RDAP_ITEMS_MAX });
  const read = registrationSchema.safeParse(record);
  if (!read.success) return UNREGISTERED;
  const { events, entities } = read.data;
  const at = (action: string): string | null =>
    events.find(({ eventAction }) => eventAction === action)?.eventDate ?? null;
  const registrar = entities.find(({ roles }) => roles.includes('registrar'));
  return {
    registered_at: at('registration'),
    expires_at: at('expiration'),
    registrar: nameOf(registrar?.vcardArray),
  };
}

/** @param card jCard: `["vcard", [[property, parameters, type, value], …]]`. Source: RFC 7095 */
function nameOf(card: unknown): string | null {
  const properties: unknown = Array.isArray(card) ? card[1] : null;
  if (!Array.isArray(properties)) return null;
  const names = properties.filter((each): each is unknown[] => Array.isArray(each) && each[0] === 'fn');
  return typeof names[0]?.[3] === 'string' ? names[0][3] : null;
}
