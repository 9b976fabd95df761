import { foldWords } from '@quarry/vocabulary';
import { linkedInAddress, linkedInSlug } from '@quarry/dto';
import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { pageFailure } from '../pages/page-failure.js';
import type { PageReader } from '../pages/page-reader.js';
import type { ReadPage } from '../pages/page.js';
import { readSite } from '../pages/site-pages.js';
import { profilesOf } from './socials.provider.js';
import { isA, valuesIn, schemaNodesOf, wordsAt } from '@quarry/extraction';
import { isSameName, nameConfidence, type Confidence } from './company-name.js';
import type { DomainSearch } from './domain-search.js';

const PEOPLE_PAGES = {
  link: /about|team|people|leadership|staff|management|founders|board|equipe|[uü]ber[-_ ]?uns|company/i,
  max: 5,
  paths: ['/about', '/team'],
};

interface FoundProfile {
  linkedin_url: string | null;
  confidence: Confidence | null;
}
const NOTHING: FoundProfile = { linkedin_url: null, confidence: null };

/**
 * Implements findLinkedInUrl for a company or one of its people, with the company's own pages. LinkedIn itself is not read.
 */
export class LinkedInUrlProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['findLinkedInUrl'];

  constructor(
    private readonly reader: PageReader,
    private readonly search: DomainSearch,
  ) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { name, company, domain } = input as { name: string; company?: string; domain?: string };
    const site = domain ?? (await this.siteOf(company ?? name, signal));
    const found = site === undefined ? NOTHING : await this.onSite(site, { name, company }, signal);
    return answerOf(this.id, found.linkedin_url !== null, found);
  }

  private async siteOf(name: string, signal: AbortSignal): Promise<string | undefined> {
    return (await this.search.findDomain(name, signal).catch(pageFailure(this.id)))?.page.url;
  }

  private async onSite(
    site: string,
    { name, company }: { name: string; company?: string | undefined },
    signal: AbortSignal,
  ): Promise<FoundProfile> {
    const pages = await readSite(this.reader, site, PEOPLE_PAGES, signal).catch(pageFailure(this.id));
    const [home] = pages;
    if (!home) return NOTHING;
    const own = pages
      .map((page) => profilesOf(page).linkedin_url)
      .find((url) => url && linkedInSlug('people', url) === null);
    // A person, if a company with a different name is given as well.
    const isPerson = company !== undefined && !isSameName(name, company);
    const certainty = isPerson ? null : nameConfidence(home, name);
    if (own && certainty && certainty !== 'low') return { linkedin_url: own, confidence: certainty };
    const person = personOn(pages, name);
    if (person.linkedin_url !== null || !own || !certainty) return person;
    return { linkedin_url: own, confidence: certainty };
  }
}

/**
 * @returns the profile of a person of this name on the pages. High: structured data states it, or the name is the only one
 *   next to the link. Medium: the profile's slug is derived from the name.
 */
export function personOn(
  pages: ReadonlyArray<Pick<ReadPage, 'contacts' | 'structured' | 'microdata'>>,
  name: string,
): FoundProfile {
  const wanted = foldWords(name);
  if (wanted.length < 2) return NOTHING;
  // In sequence, with at most one word between two of them: a middle name.
  const has = (words: readonly string[]): boolean =>
    words.some((_, from) => {
      let at = from - 1;
      return wanted.every((word, index) => {
        const next = words.indexOf(word, at + 1);
        const isNear = index === 0 ? next === from : next > at && next <= at + 2;
        at = next;
        return isNear;
      });
    });
  const described = pages.flatMap(schemaNodesOf).flatMap((node) => {
    const isThem =
      isA(node, /^Person$/) && foldWords(wordsAt(node, 'name') ?? '').join(' ') === wanted.join(' ');
    return isThem ? [...valuesIn(node.sameAs), ...valuesIn(node.url)] : [];
  });
  const own = described.map(profileOf).find((url) => url !== null);
  if (own) return { linkedin_url: own, confidence: 'high' };
  const linked = pages.flatMap(({ contacts }) => contacts.filter(({ kind }) => kind === 'profile'));
  const named = linked.find(({ near }) => has(foldWords(near)));
  const slugged = linked.find(({ value }) => has(slugWords(value)));
  if (named) return { linkedin_url: profileOf(named.value), confidence: 'high' };
  return slugged ? { linkedin_url: profileOf(slugged.value), confidence: 'medium' } : NOTHING;
}

function slugWords(url: string): string[] {
  return foldWords(linkedInSlug('people', url) ?? '');
}

function profileOf(url: unknown): string | null {
  const slug = typeof url === 'string' ? linkedInSlug('people', url) : null;
  return slug === null ? null : linkedInAddress('people', slug);
}
