import { domainToASCII, domainToUnicode } from 'node:url';
import { getDomain, getHostname } from 'tldts';

// Each control domain of the sandbox is a separate company. Source: docs/contract.md#control-domains.
const SANDBOX_SUFFIX = '.sandbox.test';

/**
 * Source of a pattern (flags `iu`) for hosts in a text. A match starts with a whole label, and the length and number of
 * labels are bounded (RFC 1035, 2.3.4: 63 characters): otherwise a text of 20,000 letters takes a second.
 */
export const HOST_IN_TEXT = '(?<![\\p{L}\\p{N}-])(?:[\\p{L}\\p{N}-]{1,63}\\.){1,30}\\p{L}{2,63}';

/**
 * Reduces a domain, host, web address or e-mail address to the registrable domain, in lower-case punycode. Hosting suffixes
 * count as public suffixes (`acme.myshopify.com` stays as it is): otherwise one shop on a platform would exclude all of
 * them. The platform's own name is still a domain.
 * @returns null for an IP address, a bare public suffix, or anything that is not a domain
 */
export function registrableDomain(text: string): string | null {
  const host = domainToASCII(getHostname(text.trim(), { validateHostname: false }) ?? '').replace(/\.$/, '');
  if (host === '') return null;
  if (host.endsWith(SANDBOX_SUFFIX)) return lastLabels(host, 3);
  // The suffix list contains Unicode names; a lookup in punycode would miss its longer international suffixes.
  const unicode = domainToUnicode(host);
  const domain = getDomain(unicode, { allowPrivateDomains: true }) ?? getDomain(unicode);
  return domain === null ? null : domainToASCII(domain) || null;
}

function lastLabels(host: string, count: number): string {
  return host.split('.').slice(-count).join('.');
}
