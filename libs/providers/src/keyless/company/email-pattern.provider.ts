import { registrableDomain } from '@quarry/dto';
import type { ProviderAnswer, ProviderCall, LookupProvider } from '../../ports/lookup.port.js';
import { isRoleName } from '../mail/role-addresses.js';
import { pageFailure } from '../pages/page-failure.js';
import type { PageReader } from '../pages/page-reader.js';
import type { ReadPage } from '../pages/page.js';
import { readSite } from '../pages/site-pages.js';
import { isA, thingsOf, wordsAt } from '../pages/things.js';
import { emailPatternOf, type SeenAddress } from './email-pattern.js';

/** Where companies name their people. */
const PEOPLE_PAGES = {
  link: /contact|kontakt|about|team|people|leadership|staff|management|press|imprint|impressum|equipe|[uü]ber[-_ ]?uns|ansprechpartner|company/i,
  max: 6,
  paths: ['/contact', '/about', '/team'],
};

/** More tell no more, and each is tried with all names beside it. */
const ADDRESSES_MAX = 200;

/** findEmailPattern: from addresses that the company's own pages show. */
export class EmailPatternProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['findEmailPattern'];

  constructor(private readonly reader: PageReader) {}

  async run({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { domain } = input as { domain: string };
    const pages = await readSite(this.reader, domain, PEOPLE_PAGES, signal).catch(pageFailure(this.id));
    const own = registrableDomain(domain);
    const addresses = new Map<string, SeenAddress>();
    for (const seen of pages.flatMap(addressesOf)) {
      const [localPart = '', host = ''] = seen.email.toLowerCase().split('@');
      // A site without a domain of its own cannot tell its addresses from those of others.
      const isOwn = own === null || registrableDomain(host) === own;
      if (isOwn && !isRoleName(localPart) && !addresses.has(seen.email.toLowerCase()))
        addresses.set(seen.email.toLowerCase(), seen);
    }
    const found = emailPatternOf([...addresses.values()].slice(0, ADDRESSES_MAX));
    const output = { ...found, provider: this.id };
    return { found: found.pattern !== null, deep: false, provider: this.id, output };
  }
}

/** Addresses of a page: those of described people with their names in front, then those that it shows. */
function addressesOf(page: ReadPage): SeenAddress[] {
  const people = thingsOf(page).flatMap((thing) => {
    const email = isA(thing, /^Person$/) ? wordsAt(thing, 'email')?.replace(/^mailto:/i, '') : null;
    return email?.includes('@') ? [{ email, near: wordsAt(thing, 'name') ?? '' }] : [];
  });
  const shown = page.contacts.filter(({ kind }) => kind === 'email');
  return [...people, ...shown.map(({ value: email, near }) => ({ email, near }))];
}
