import { linkedInAddress, linkedInSlug, registrableDomain } from '@quarry/dto';
import { listOf } from '@quarry/engine';
import { z } from 'zod';
import type { VendorServices } from './vendor.js';

// Functions shared by the vendor definitions: addresses, dates and lists of pages.

/** @returns the registrable domain of the given value; undefined when there is none */
export function domainIn(input: { domain?: string | undefined }): string | undefined {
  const text = input.domain?.trim();
  return text ? (registrableDomain(text) ?? text) : undefined;
}

/** @returns the canonical URL of a LinkedIn profile; undefined when the text is not one */
export function profileIn(text: string | undefined): string | undefined {
  const slug = linkedInSlug('people', text);
  return slug === null ? undefined : linkedInAddress('people', slug);
}

/** @param score 0 to 100; according to vendors, addresses with 90 or more can be used without further checks */
export function confidenceOf(score: number): 'low' | 'medium' | 'high' {
  if (score >= 90) return 'high';
  return score >= 70 ? 'medium' : 'low';
}

/** @returns ISO 8601; null for a text without a date, such as "2 days ago", which depends on when it is read */
export function timeOf(text: string | null | undefined): string | null {
  if (!text || !/\d{4}/.test(text) || /\bago\b/i.test(text)) return null;
  // A date without a time zone is read as UTC, independent of the time zone of this process.
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? zonedTime(text) : `${text} UTC`);
  const orAsItStands = Number.isNaN(at) ? Date.parse(text) : at;
  return Number.isNaN(orAsItStands) ? null : new Date(orAsItStands).toISOString();
}

function zonedTime(text: string): string {
  return /T/.test(text) && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text;
}

/** Page with the field names of the various search vendors. */
export interface FoundPage {
  url: string;
  title?: string | null | undefined;
  snippet?: string | null | undefined;
  at?: string | null | undefined;
}

/** @returns the schema of a list of pages, from the vendor's names of their fields */
export function pageList(names: { url: string; snippet: string; at: string }) {
  const text = z.string().nullish();
  return listOf(
    z
      .object({ [names.url]: z.string(), title: text, [names.snippet]: text, [names.at]: text })
      .transform((page): FoundPage => ({
        url: page[names.url]!,
        title: page.title,
        snippet: page[names.snippet],
        at: page[names.at],
      })),
  );
}

/** @returns the first `limit` pages (default 10); null when there is none */
export function pagesOf(
  pages: readonly FoundPage[],
  { limit = 10 }: { limit?: number },
): VendorServices['webSearch']['output'] | null {
  const items = pages
    .slice(0, limit)
    .map(({ url, title, snippet, at }) => ({
      url,
      title: title || null,
      snippet: snippet || null,
      published_at: timeOf(at),
    }));
  return items.length > 0 ? { items } : null;
}
