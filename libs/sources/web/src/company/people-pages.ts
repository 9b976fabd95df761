import { registrableDomain } from '@quarry/dto';
import { isRoleName } from '../mail/role-addresses.js';
import type { PageSource, ReadPage } from '../pages/page.js';
import { readSite } from '../pages/site-pages.js';
import { isA, schemaNodesOf, wordsAt } from '@quarry/extraction';
import type { SeenAddress } from './email-pattern.js';

/** Links and paths of pages on which companies present their people. */
const PEOPLE_PAGES = {
  link: /contact|kontakt|about|team|people|leadership|staff|management|press|imprint|impressum|equipe|[uü]ber[-_ ]?uns|ansprechpartner|mitarbeiter|contatti|kapcsolat|over-?ons|o-?nas|quienes|equipo|om-?oss|ansatte|medarbet|company/i,
  max: 6,
  paths: ['/contact', '/about', '/team'],
};

/** Maximum number of addresses: more add no information, and each is compared with all names near it. */
const ADDRESSES_MAX = 200;
/** Maximum length of an address. Source: RFC 5321, section 4.5.3.1.3, a path of 256 octets with its brackets. */
const EMAIL_MAX = 254;
/** Maximum number of characters around a contact, as in the page reader. */
const NEAR_MAX = 300;

/**
 * Reads the pages of a site on which companies present their people.
 * @param site domain or web address
 * @returns the home page first; at most seven
 * @throws OutboundError when the home page cannot be read
 */
export function readPeoplePages<Read extends ReadPage>(
  reader: PageSource<Read>,
  site: string,
  signal: AbortSignal,
): Promise<Read[]> {
  return readSite(reader, site, PEOPLE_PAGES, signal);
}

/**
 * @param site domain or web address of the company
 * @returns each occurrence on its pages of an address at its own domain, without role addresses; an address may occur
 *   several times. No address is longer than 254 characters, and no surrounding text longer than 300
 */
export function peopleAddresses(pages: readonly ReadPage[], site: string): SeenAddress[] {
  const own = registrableDomain(site);
  const isOwn = ({ email }: SeenAddress): boolean => {
    const [localPart = '', host = ''] = email.toLowerCase().split('@');
    // Without a domain of its own, a site's addresses cannot be distinguished from those of others.
    return (own === null || registrableDomain(host) === own) && !isRoleName(localPart);
  };
  return pages.flatMap(addressesOf).filter(isOwn);
}

/** @returns the first occurrence of each address; at most 200 */
export function eachOnce(addresses: readonly SeenAddress[]): SeenAddress[] {
  const first = new Map<string, SeenAddress>();
  for (const seen of addresses) {
    const key = seen.email.toLowerCase();
    if (!first.has(key)) first.set(key, seen);
  }
  return [...first.values()].slice(0, ADDRESSES_MAX);
}

/** Returns the addresses of a page: those of people in structured data with their names, then those in links and text. */
function addressesOf(page: ReadPage): SeenAddress[] {
  const people = schemaNodesOf(page).flatMap((node) => {
    const email = isA(node, /^Person$/) ? wordsAt(node, 'email')?.replace(/^mailto:/i, '') : null;
    return email?.includes('@') ? [{ email, near: wordsAt(node, 'name') ?? '' }] : [];
  });
  const shown = page.contacts.filter(({ kind }) => kind === 'email');
  return [...people, ...shown.map(({ value: email, near }) => ({ email, near }))]
    .filter(({ email }) => email.length <= EMAIL_MAX)
    .map(({ email, near }) => ({ email, near: near.slice(0, NEAR_MAX) }));
}
