import type { ExclusionItem, ExclusionKind } from '@quarry/dto';
import { linkedinAddress } from './linkedin-address.js';
import { registrableDomain } from '@quarry/dto';

/** An entry in its one spelling. At least one of the two is there. */
export interface ExclusionEntry {
  domain: string | null;
  linkedinUrl: string | null;
}

interface RejectedItem {
  index: number;
  message: string;
}

/** @returns the entry, or the sentence that says why it cannot be one */
function exclusionEntry(kind: ExclusionKind, item: ExclusionItem): ExclusionEntry | string {
  const given = { domain: item.domain ?? null, linkedinUrl: item.linkedin_url ?? null };
  if (given.domain === null && given.linkedinUrl === null) return 'Give a domain or a linkedin_url.';
  const domain = given.domain === null ? null : registrableDomain(given.domain);
  if (given.domain !== null && domain === null) return 'domain is not a registrable domain name.';
  const linkedinUrl = given.linkedinUrl === null ? null : linkedinAddress(kind, given.linkedinUrl);
  if (given.linkedinUrl !== null && linkedinUrl === null)
    return kind === 'companies'
      ? 'linkedin_url is not the address of a LinkedIn company page.'
      : 'linkedin_url is not the address of a LinkedIn profile.';
  return { domain, linkedinUrl };
}

/** What an entry is known by: its domain, else its LinkedIn address. Two entries with one key are one entry. */
export function entryKey(entry: ExclusionEntry): string {
  return (entry.domain ?? entry.linkedinUrl)!;
}

/**
 * @returns the entries of a request, one for each key (a LinkedIn address that comes later replaces an earlier
 * one), sorted by key so that concurrent writers lock in one order; and the items that are none
 */
export function distinctEntries(
  kind: ExclusionKind,
  items: readonly ExclusionItem[],
): { entries: ExclusionEntry[]; accepted: number; rejected: RejectedItem[] } {
  const byKey = new Map<string, ExclusionEntry>();
  const rejected: RejectedItem[] = [];
  items.forEach((item, index) => {
    const entry = exclusionEntry(kind, item);
    if (typeof entry === 'string') return void rejected.push({ index, message: entry });
    const before = byKey.get(entryKey(entry));
    byKey.set(entryKey(entry), { ...entry, linkedinUrl: entry.linkedinUrl ?? before?.linkedinUrl ?? null });
  });
  const entries = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  return { entries, accepted: items.length - rejected.length, rejected };
}
