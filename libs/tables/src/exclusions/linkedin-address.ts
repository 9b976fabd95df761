import type { ExclusionKind } from '@quarry/dto';

/** First path step of an address, and the one that it is kept under. A school's page is the page of an organisation. */
const SECTIONS: Record<ExclusionKind, ReadonlyMap<string, string>> = {
  companies: new Map([
    ['company', 'company'],
    ['school', 'company'],
    ['showcase', 'company'],
  ]),
  people: new Map([['in', 'in']]),
};

const ADDRESS = /^(?:https?:\/\/)?(?:[a-z0-9-]{1,20}\.)?linkedin\.com\/([a-z]+)\/([^/?#\s]+)/i;

/**
 * Reduces a LinkedIn address to its one form, `https://www.linkedin.com/company/slug` or `…/in/slug`: country and
 * mobile hosts, letter case, percent escapes, language and sub-page steps and the query are dropped.
 * @returns null when it is not the address of this kind of thing
 */
export function linkedinAddress(kind: ExclusionKind, text: string): string | null {
  const match = ADDRESS.exec(text.trim());
  const section = match && SECTIONS[kind].get(match[1]!.toLowerCase());
  if (!match || !section) return null;
  const slug = decoded(match[2]!)?.normalize('NFC').toLowerCase();
  // Letters, digits and a few marks of any script: what LinkedIn itself allows in a public address.
  if (!slug || !/^[\p{L}\p{M}\p{N}_.&'’-]{1,200}$/u.test(slug)) return null;
  return `https://www.linkedin.com/${section}/${encodeURIComponent(slug)}`;
}

function decoded(slug: string): string | null {
  try {
    return decodeURIComponent(slug);
  } catch {
    return null;
  }
}
