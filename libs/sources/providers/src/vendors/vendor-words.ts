import { linkedInAddress, linkedInSlug, registrableDomain } from '@quarry/dto';
import { isSupportedCountry, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/metadata.max.json' with { type: 'json' };
import type { ContactInput } from '@quarry/service-catalog';
import type { PhoneFound, VendorServices } from './vendor.js';

// What the files of vendors have in common: names of people, telephone numbers, dates and lists of pages.

/** @returns first and last name; null unless both are there */
export function nameIn(
  input: Pick<ContactInput, 'first_name' | 'last_name'>,
): { first: string; last: string } | null {
  const [first, last] = [input.first_name?.trim(), input.last_name?.trim()];
  return first && last ? { first, last } : null;
}

/** @returns the registrable domain of whatever was given as one; undefined when nothing was */
export function domainIn(input: { domain?: string | undefined }): string | undefined {
  const text = input.domain?.trim();
  return text ? (registrableDomain(text) ?? text) : undefined;
}

/** @returns the text without white space around it; undefined when nothing is left */
export function textIn(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

/** @returns the address of a LinkedIn profile in its one form; undefined when the text is none */
export function profileIn(text: string | undefined): string | undefined {
  const slug = linkedInSlug('people', text);
  return slug === null ? undefined : linkedInAddress('people', slug);
}

/** @param score 0 to 100, of which vendors say that 90 and more can be written to without a second look */
export function confidenceOf(score: number): 'low' | 'medium' | 'high' {
  if (score >= 90) return 'high';
  return score >= 70 ? 'medium' : 'low';
}

const LINES: Readonly<Record<string, PhoneFound['line_type']>> = {
  MOBILE: 'mobile',
  FIXED_LINE: 'landline',
  VOIP: 'voip',
};

/**
 * @param numbers best first, as a vendor writes them; what is no international number is left out
 * @param source who says so
 * @returns null when none is left
 */
export function phonesOf(
  numbers: ReadonlyArray<{ number: string; isMobile?: boolean; country?: string }>,
  source: string,
): VendorServices['getPhoneNumber']['output'] | null {
  const phones = numbers.flatMap(({ number, isMobile = false, country }): PhoneFound[] => {
    const home = country?.toUpperCase() as CountryCode | undefined;
    const known = home !== undefined && isSupportedCountry(home, metadata) ? { defaultCountry: home } : {};
    const parsed = parsePhoneNumberFromString(number, { extract: false, ...known }, metadata);
    if (!parsed?.isPossible()) return [];
    const kind = LINES[parsed.getType() ?? ''] ?? 'unknown';
    return [
      {
        number: parsed.number,
        country: parsed.country ?? 'ZZ',
        line_type: isMobile ? 'mobile' : kind,
        line_status: 'unknown',
        source,
      },
    ];
  });
  const [first] = phones;
  const isFirstOf = ({ number }: PhoneFound, i: number): boolean =>
    phones.findIndex((each) => each.number === number) === i;
  return first ? { phone_number: first.number, phones: phones.filter(isFirstOf) } : null;
}

/** @returns ISO 8601; null for what names no day, such as "2 days ago", which would depend on when it is read */
export function timeOf(text: string | null | undefined): string | null {
  if (!text || !/\d{4}/.test(text) || /\bago\b/i.test(text)) return null;
  // Without a zone of its own, a day is that day in UTC wherever this process runs.
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? zoned(text) : `${text} UTC`);
  const orAsItStands = Number.isNaN(at) ? Date.parse(text) : at;
  return Number.isNaN(orAsItStands) ? null : new Date(orAsItStands).toISOString();
}

function zoned(text: string): string {
  return /T/.test(text) && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text;
}

/** A page as the several search vendors name its parts. */
export interface FoundPage {
  url: string;
  title?: string | null | undefined;
  snippet?: string | null | undefined;
  at?: string | null | undefined;
}

/** @returns the first `limit` pages (10 when none is asked for); null when there is none */
export function pagesOf(
  pages: readonly FoundPage[],
  { limit = 10 }: { limit?: number },
): VendorServices['webSearch']['output'] | null {
  const items = pages.slice(0, limit).map(({ url, title, snippet, at }) => ({
    url,
    title: title || null,
    snippet: snippet || null,
    published_at: timeOf(at),
  }));
  return items.length > 0 ? { items } : null;
}
