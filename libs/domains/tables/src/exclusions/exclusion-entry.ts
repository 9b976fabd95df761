import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExclusionItem, ExclusionKind } from '@quarry/dto';
import { linkedinAddress } from './linkedin-address.js';
import { registrableDomain } from '@quarry/dto';

/** A normalised entry. At least one of the two fields is set. */
export interface ExclusionEntry {
  domain: string | null;
  linkedinUrl: string | null;
}

interface RejectedItem {
  index: number;
  message: string;
}

/** @returns the entry, or a sentence that says why the item is invalid */
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

/** Items per turn of the event loop: about ten milliseconds. */
const SLICE_ITEMS = 1000;

/** Returns the key of an entry: its domain, or else its LinkedIn address. Entries with the same key are the same entry. */
export function entryKey(entry: ExclusionEntry): string {
  return (entry.domain ?? entry.linkedinUrl)!;
}

/**
 * @returns the entries of a request, one for each key (a later LinkedIn address replaces an earlier one), sorted by key so that
 * concurrent writers lock in the same order; and the invalid items. A long list is read in slices, with a turn of the event loop
 * between them
 */
export async function distinctEntries(
  kind: ExclusionKind,
  items: readonly ExclusionItem[],
): Promise<{ entries: ExclusionEntry[]; accepted: number; rejected: RejectedItem[] }> {
  const byKey = new Map<string, ExclusionEntry>();
  const rejected: RejectedItem[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % SLICE_ITEMS === 0) await nextTurn();
    const entry = exclusionEntry(kind, item);
    if (typeof entry === 'string') {
      rejected.push({ index, message: entry });
      continue;
    }
    const before = byKey.get(entryKey(entry));
    byKey.set(entryKey(entry), { ...entry, linkedinUrl: entry.linkedinUrl ?? before?.linkedinUrl ?? null });
  }
  const entries = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  return { entries, accepted: items.length - rejected.length, rejected };
}
