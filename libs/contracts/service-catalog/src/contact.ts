import { z } from 'zod';
import { linkedInSlug, registrableDomain } from '@quarry/dto';

/** 500 characters: longer than any name or address of a person; bounds the size of a malicious list. */
const text = z.string().max(500);

/** Person to look up, and whether the Deep agent may continue after a miss of the plain search. */
export const contactInput = z.strictObject({
  linkedin_url: text.optional().describe('LinkedIn profile of the person'),
  first_name: text.optional(),
  last_name: text.optional(),
  company: text.optional().describe('Name of the company the person works for'),
  domain: text.optional().describe('Domain of that company'),
  deep: z.boolean().optional().describe('Use the Deep agent when the plain search finds nothing'),
});
export type ContactInput = z.infer<typeof contactInput>;

/** Seven days. Source: contract, Other limits. */
export const CONTACT_REUSE_SECONDS = 7 * 24 * 60 * 60;

/** @returns the reason why this contact cannot be searched, or null. Source: contract, batch rule 2. */
export function contactTooThin(input: ContactInput): string | null {
  if (linkedInSlug('people', input.linkedin_url)) return null;
  const named = isFilled(input.first_name) && isFilled(input.last_name);
  if (named && (isFilled(input.company) || isFilled(input.domain))) return null;
  const missing = [
    ...(['first_name', 'last_name'] as const).filter((name) => !isFilled(input[name])),
    ...(isFilled(input.company) || isFilled(input.domain) ? [] : ['company or domain']),
  ];
  const profile = isFilled(input.linkedin_url)
    ? 'linkedin_url is not the profile of a person'
    : 'a linkedin_url alone is enough';
  return `The input is not enough to search with. Missing: ${missing.join(', ')}; ${profile}.`;
}

/**
 * Returns the key of a person: the LinkedIn slug, else folded names with the registrable domain or the folded company name.
 * Source: docs/contract.md#5-services-jobs-credits.
 */
export function contactKey(input: ContactInput): string | null {
  if (contactTooThin(input)) return null;
  const slug = linkedInSlug('people', input.linkedin_url);
  if (slug) return `in:${slug}`;
  const domain = isFilled(input.domain)
    ? (registrableDomain(input.domain!) ?? foldName(input.domain!))
    : null;
  return `at:${foldName(input.first_name!)}|${foldName(input.last_name!)}|${domain ?? foldName(input.company!)}`;
}

/** Folds a name: case, accents, punctuation and spaces do not distinguish people. */
function foldName(value: string): string {
  return value
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function isFilled(value: string | undefined): boolean {
  return (value ?? '').trim() !== '';
}
