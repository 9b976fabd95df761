import { registrableDomain } from '@quarry/dto';
import { isRoleName } from '../mail/role-addresses.js';
import type { PageSource, ReadPage } from '../pages/page.js';
import { readSite } from '../pages/site-pages.js';
import { isA, schemaNodesOf, wordsAt } from '@quarry/extraction';
import type { SeenAddress } from './email-pattern.js';

/** Links and paths of pages where companies name their people. */
const PEOPLE_PAGES = {
  link: /contact|kontakt|about|team|people|leadership|staff|management|press|imprint|impressum|equipe|[uü]ber[-_ ]?uns|ansprechpartner|mitarbeiter|contatti|kapcsolat|over-?ons|o-?nas|quienes|equipo|om-?oss|ansatte|medarbet|company/i,
  max: 6,
  paths: ['/contact', '/about', '/team'],
};

/** More tell no more, and each is tried with all names beside it. */
const ADDRESSES_MAX = 200;
/** Source: RFC 5321, section 4.5.3.1.3, a path of 256 octets with its brackets. */
const EMAIL_MAX = 254;
/** As many as the reader keeps of the words beside a contact. */
const NEAR_MAX = 300;

/**
 * Reads the pages of a site on which companies name their people.
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
 * @returns every place where its pages show an address of its own that is not one of a task; one address may be in several.
 *   No address is longer than 254 characters, no words beside one than 300
 */
export function peopleAddresses(pages: readonly ReadPage[], site: string): SeenAddress[] {
  const own = registrableDomain(site);
  const isOwn = ({ email }: SeenAddress): boolean => {
    const [localPart = '', host = ''] = email.toLowerCase().split('@');
    // A site without a domain of its own cannot tell its addresses from those of others.
    return (own === null || registrableDomain(host) === own) && !isRoleName(localPart);
  };
  return pages.flatMap(addressesOf).filter(isOwn);
}

/** @returns each address once, as it was seen first; at most 200 */
export function eachOnce(addresses: readonly SeenAddress[]): SeenAddress[] {
  const first = new Map<string, SeenAddress>();
  for (const seen of addresses) {
    const key = seen.email.toLowerCase();
    if (!first.has(key)) first.set(key, seen);
  }
  return [...first.values()].slice(0, ADDRESSES_MAX);
}

/** Addresses of a page: those of described people with their names in front, then those that it shows. */
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
