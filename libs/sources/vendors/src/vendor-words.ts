import { linkedInAddress, linkedInSlug, registrableDomain } from '@quarry/dto';
import type { VendorServices } from './vendor.js';

// Functions that the files of vendors share: addresses, dates and lists of pages.

/** @returns the registrable domain of whatever was given as one; undefined when nothing was */
export function domainIn(input: { domain?: string | undefined }): string | undefined {
  const text = input.domain?.trim();
  return text ? (registrableDomain(text) ?? text) : undefined;
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

/** @returns ISO 8601; null for what names no day, such as "2 days ago", which would depend on when it is read */
export function timeOf(text: string | null | undefined): string | null {
  if (!text || !/\d{4}/.test(text) || /\bago\b/i.test(text)) return null;
  // Without a zone of its own, a day is that day in UTC wherever this process runs.
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? zonedTime(text) : `${text} UTC`);
  const orAsItStands = Number.isNaN(at) ? Date.parse(text) : at;
  return Number.isNaN(orAsItStands) ? null : new Date(orAsItStands).toISOString();
}

function zonedTime(text: string): string {
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
