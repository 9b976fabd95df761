import { COMPANY_ATTRIBUTES } from '@quarry/directory';
import { countryNamed, industriesNamed, industryOf } from '@quarry/vocabulary';
import { registrableDomain, siteOf } from '@quarry/dto';
import {
  answerOf,
  type ProviderAnswer,
  type ProviderCall,
  type LookupProvider,
  ProviderFailure,
} from '@quarry/engine';
import { parsedPhone, valuesIn, nodeAt, wordsAt, type SchemaNode } from '@quarry/extraction';
import { pageFailure, readOfHost } from '../pages/page-failure.js';
import type { PageReader } from '../pages/page-reader.js';
import type { ReadPage } from '../pages/page.js';
import { readSite } from '../pages/site-pages.js';
import { profilesOf } from './socials.provider.js';
import { technologiesOf } from '../pages/tech.provider.js';
import { isSameName, ownNames, ownOrganisations } from './company-name.js';
import type { DomainSearch } from './domain-search.js';

const ABOUT_PAGES = {
  link: /about|contact|kontakt|imprint|impressum|[uü]ber[-_ ]?uns|company/i,
  max: 3,
  paths: ['/about', '/contact'],
};
const KEYWORDS_MAX = 30;

type Values = Record<string, unknown>;

/** Implements enrichCompany with the company's own site. Missing facts are null; nothing is estimated. */
export class EnrichCompanyProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['enrichCompany'];

  constructor(
    private readonly reader: PageReader,
    private readonly search: DomainSearch,
  ) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { domain, name } = input as { domain?: string; name?: string };
    if (domain === undefined && name === undefined)
      throw new ProviderFailure('provider_rejected', 'Give the domain or the name of the company.', {
        provider: this.id,
      });
    const site =
      domain ?? (await this.search.findDomain(name!, signal).catch(pageFailure(this.id)))?.page.url;
    const read = site ? await readOfHost(this.id, readSite(this.reader, site, ABOUT_PAGES, signal)) : null;
    const pages = read?.[0] && !isElsewhere(read[0].url, site!) ? read : [];
    const values = companyFacts(pages);
    return answerOf(this.id, values.name !== null, values);
  }
}

/** Returns whether a domain redirects to a page at a network or a marketplace, whose facts are not the company's. */
function isElsewhere(url: string, site: string): boolean {
  return siteOf(url) === null && registrableDomain(url) !== registrableDomain(site);
}

/**
 * @param pages of one company's site, the home page first
 * @returns a value for each attribute of a company: null, or an empty list, when the pages do not provide it
 */
export function companyFacts(pages: readonly ReadPage[]): Values {
  const nothing: Values = Object.fromEntries(
    COMPANY_ATTRIBUTES.map(({ key, kind }) => [key, kind === 'list' ? [] : null]),
  );
  const [home] = pages;
  if (!home) return nothing;
  const nodes = ownOrganisations(pages);
  const firstText = (...keys: string[]): string | null =>
    firstOf(keys, (key) => firstOf(nodes, (node) => wordsAt(node, key)));
  const { described, site, titles } = ownNames(home);
  const url = new URL(home.url);
  const address = firstOf(
    nodes,
    (node) => nodeAt(node, 'address') ?? nodeAt(nodeAt(node, 'location'), 'address'),
  );
  const country = countryNamed(wordsAt(address, 'addressCountry') ?? '');
  const keywords = [...nodes.flatMap((node) => valuesIn(node.keywords)), home.metadata.keywords ?? '']
    .flatMap((each) => (typeof each === 'string' ? each.split(/[,;]/) : []))
    .map((word) => word.trim())
    .filter(Boolean);
  return {
    ...nothing,
    name: firstText('name') ?? described ?? site ?? titles.find((each) => isLabel(each, url)) ?? null,
    domain: registrableDomain(url.hostname),
    website: url.origin,
    linkedin_url: companyProfileOf(pages),
    industry: industryName(firstText('industry')),
    description: firstText('description') ?? home.description,
    city: wordsAt(address, 'addressLocality'),
    state: wordsAt(address, 'addressRegion'),
    country: country?.name ?? wordsAt(address, 'addressCountry'),
    headcount: firstOf(nodes, headcountOf),
    founded_year: yearOf(firstText('foundingDate')),
    technologies: technologiesOf(home).map(({ name }) => name),
    keywords: [...new Set(keywords)].slice(0, KEYWORDS_MAX),
    phone: phoneOf(
      pages,
      firstText('telephone') ?? firstOf(nodes, (node) => wordsAt(nodeAt(node, 'contactPoint'), 'telephone')),
      country?.id ?? null,
    ),
  };
}

/** @returns the first value that is not null; null for none */
function firstOf<T, V>(items: readonly T[], of: (item: T) => V | null): V | null {
  for (const item of items) {
    const value = of(item);
    if (value !== null) return value;
  }
  return null;
}

/** Returns true when a part of the title is the label of the domain, and so the name: "Halbrook" at halbrook.com. */
function isLabel(title: string, { hostname }: URL): boolean {
  const label = registrableDomain(hostname)?.split('.')[0];
  return label !== undefined && isSameName(title.replace(/\s/g, ''), label.replace(/-/g, ''));
}

function companyProfileOf(pages: readonly ReadPage[]): string | null {
  const urls = pages.map((page) => profilesOf(page).linkedin_url);
  return urls.find((url) => url?.includes('/company/')) ?? null;
}

/** Returns the vocabulary's name of an industry if it is known, else the text. */
function industryName(text: string | null): string | null {
  const [id, ...others] = text === null ? [] : industriesNamed(text);
  return id !== undefined && others.length === 0 ? (industryOf(id)?.name ?? text) : text;
}

/** Returns an exact headcount; null for a range, whose exact value is unknown. */
function headcountOf(node: SchemaNode): number | null {
  const inner = nodeAt(node, 'numberOfEmployees');
  const text = inner ? wordsAt(inner, 'value') : wordsAt(node, 'numberOfEmployees');
  return text !== null && /^\d{1,8}$/.test(text) ? Number(text) : null;
}

function yearOf(date: string | null): number | null {
  const year = Number(/^(1[0-9]{3}|20[0-9]{2})(-|$)/.exec(date ?? '')?.[1]);
  return Number.isNaN(year) ? null : year;
}

/** Returns, in E.164, the phone number in the company's structured data, else the only one that its pages link. */
function phoneOf(
  pages: readonly ReadPage[],
  described: string | null,
  countryId: string | null,
): string | null {
  const shown = pages.flatMap(({ contacts }) => contacts.filter(({ kind }) => kind === 'phone'));
  const numbers = (described === null ? shown.map(({ value }) => value) : [described]).flatMap((text) => {
    const parsed = parsedPhone(text, countryId);
    return parsed?.isValid() ? [parsed.number as string] : [];
  });
  const different = [...new Set(numbers)];
  return different.length === 1 ? different[0]! : null;
}
