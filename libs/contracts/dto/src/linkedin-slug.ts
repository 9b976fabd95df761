import type { ExclusionKind } from './exclusions.js';
import { trimPasted, trimPastedEnd } from './trim-pasted.js';

/** Kind of LinkedIn page. */
export type LinkedInPage = ExclusionKind;

/** Canonical first path segment, by the segment in a URL. A school's page is the page of an organisation. */
const SECTIONS: Readonly<Record<LinkedInPage, Readonly<Record<string, string>>>> = {
  companies: { company: 'company', school: 'company', showcase: 'company' },
  people: { in: 'in' },
};
const OWN_SECTION: Readonly<Record<LinkedInPage, string>> = { companies: 'company', people: 'in' };

const ADDRESS =
  /^(?:https?:\/\/)?(?:[a-z0-9-]{1,20}\.){0,2}linkedin\.com\/(?:mwlite\/)?([a-z]+)\/([^/?#\s]+)/i;
/** Pattern of profile URLs in a text, up to the first character that cannot be in a URL unescaped. */
const PROFILES_IN_TEXT = /linkedin\.com\/(?:mwlite\/)?in\/([^/?#\s"<>\\]+)/gi;
/** Punctuation after a URL in a sentence, which is not part of a slug unless escaped; an apostrophe may be either. */
const AFTER_ADDRESS = [/[,;:!()[\]{}|*`]/, /[,;:!()[\]{}|*`'’]/];
/** Separators of URLs, white space and control characters. */
const NEVER_IN_SLUG = /[\p{Cc}\p{Cs}\p{Z}/?#\\<>"]/u;
/** Invisible characters that copying adds; not the joiners, which belong to some scripts and emoji. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069]/g;
const SLUG_MAX = 200;

/**
 * Reads the slug of a LinkedIn URL: the path segment after `/in/` or `/company/`, decoded, in NFC and lower case. Country
 * and mobile hosts and paths, language and sub-page segments after the slug, and the query are ignored. Import, lookup, exclusion,
 * reuse and erasure all compare this slug, so that a URL means the same page everywhere.
 * @param page a person's profile, or the page of a company, school or showcase
 * @returns null when the text is not the URL of such a page
 */
export function linkedInSlug(page: LinkedInPage, text: string | null | undefined): string | null {
  const match = ADDRESS.exec(trimPasted(text ?? ''));
  if (!match || !Object.hasOwn(SECTIONS[page], match[1]!.toLowerCase())) return null;
  return slugOf(match[2]!);
}

/** Returns the canonical URL of a page from its slug. */
export function linkedInAddress(page: LinkedInPage, slug: string): string {
  return `https://www.linkedin.com/${OWN_SECTION[page]}/${encodeURIComponent(slug)}`;
}

/** Returns the slugs of the profiles that a text may contain; several for one URL that is followed by punctuation. */
export function linkedInProfilesIn(text: string): string[] {
  return [...text.matchAll(PROFILES_IN_TEXT)].flatMap(([, step]) => {
    const bare = AFTER_ADDRESS.map((end) => step!.split(end, 1)[0]!);
    const readings = new Set([step!, ...bare].flatMap((each) => [each, each.replace(/\.+$/, '')]));
    return [...readings].flatMap((each) => slugOf(each) ?? []);
  });
}

function slugOf(step: string): string | null {
  // In a text, or when it was escaped, an invisible character can end the slug without ending the URL.
  const decoded = trimPastedEnd(decodedStep(step) ?? '').replace(INVISIBLE, '');
  // Lower-casing can decompose a letter, so NFC is applied before and after it.
  const slug = decoded.normalize('NFC').toLowerCase().normalize('NFC');
  return !slug || slug.length > SLUG_MAX || NEVER_IN_SLUG.test(slug) ? null : slug;
}

function decodedStep(step: string): string | null {
  try {
    return decodeURIComponent(step);
  } catch {
    return null;
  }
}
