import type { ExclusionKind } from '../api/resources';

interface Entry {
  readonly domain?: string;
  readonly linkedin_url?: string;
}

const LINKEDIN = /linkedin\.com\/\S+/i;
const DOMAIN =
  /(?:^|[\s,;"'@/])((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,})(?=$|[\s,;"'/:?#])/u;

/** @returns the entry of each line of a list, and the number of lines without one; the columns of a file may have any order */
export function readEntries(text: string, kind: ExclusionKind): { items: Entry[]; unread: number } {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const items = lines.flatMap((line): Entry[] => {
    const profile = LINKEDIN.exec(line)?.[0].replace(/[,;"']+.*$/, '');
    const domain = kind === 'companies' ? DOMAIN.exec(line.replace(LINKEDIN, ' '))?.[1] : undefined;
    if (!profile && !domain) return [];
    return [
      { ...(domain ? { domain } : {}), ...(profile ? { linkedin_url: `https://www.${profile}` } : {}) },
    ];
  });
  return { items, unread: lines.length - items.length };
}
