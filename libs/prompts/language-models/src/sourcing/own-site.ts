import { siteOf } from '@quarry/dto';
import { foldText, type ProvedCitation, type ReadPageText } from '@quarry/extraction';
import type { FetchedPage } from '../research/research.js';
import { bareHost, namesHost } from './named-host.js';

/** Words with which a page names somebody, and their position in the text of the page. */
export interface Naming {
  readonly name: string;
  readonly excerpt: string;
  readonly range: { readonly from: number; readonly to: number };
}

/** Maximum distance of a link from a name; a link further away belongs to somebody else. */
const BESIDE = 80;
const EXCERPT_CHARACTERS = 120;
const OF_A_WORD = /[\p{L}\p{N}]/u;

/**
 * Searches for proof that a site belongs to somebody whom a page names: the naming words contain the host, or a link with
 * the name, or next to it, leads there. Any other link to the site proves nothing.
 * @param address on that site
 * @returns the words including the host; null when there is no proof
 */
export function tiedByPage(
  page: FetchedPage,
  { name, excerpt, range }: Naming,
  address: string,
): ProvedCitation | null {
  const site = siteOf(address);
  if (site === null) return null;
  const hosts = [site, bareHost(new URL(address).hostname)];
  if (hosts.some((host) => namesHost(excerpt.toLowerCase(), host))) return citationOf(page, excerpt);
  const leadsThere = (url: string): boolean => {
    const target = URL.parse(url, page.url);
    return target !== null && target.host !== '' && siteOf(target.href) === site;
  };
  const folded = foldText(name);
  const link = page.links.find(({ url, text }) => hasName(foldText(text), folded) && leadsThere(url));
  if (link) return citationOf(page, `[${link.text}](${link.url})`);
  const beside = linkBeside(page.text, name, range);
  return beside && leadsThere(beside.target)
    ? citationOf(page, page.text.slice(range.from, beside.end).replace(/\s+/g, ' '))
    : null;
}

/** @returns the words of a site's page that contain a name; null for a page of another site, or without such words */
export function tiedByOwnPage(
  page: FetchedPage,
  text: ReadPageText,
  name: string,
  site: string | null,
): ProvedCitation | null {
  if (site === null || siteOf(page.url) !== site) return null;
  const folded = foldText(name);
  const at = placeOfName(text.folded.text, folded);
  if (at < 0) return null;
  const to = Math.min(text.folded.text.length, at + Math.max(folded.length, EXCERPT_CHARACTERS));
  return citationOf(page, text.writtenAt(at, to).replace(/\s+/g, ' ').trim());
}

/** Returns the first Markdown link after a name in its line. */
function linkBeside(
  text: string,
  name: string,
  { from, to }: Naming['range'],
): { target: string; end: number } | null {
  const inQuote = text.slice(from, to).toLowerCase().indexOf(name.toLowerCase());
  const behind = inQuote < 0 ? to : from + inQuote + name.length;
  const line = text.slice(behind, behind + 2_000).split('\n', 1)[0]!;
  const open = line.indexOf('](');
  const close = line.indexOf(')', open);
  if (open < 0 || open > BESIDE || close < 0) return null;
  return { target: line.slice(open + 2, close).split(' ', 1)[0]!, end: behind + close + 1 };
}

function hasName(text: string, name: string): boolean {
  return placeOfName(text, name) >= 0;
}

/** @returns the offset of a name in a folded text as whole words, or -1 */
function placeOfName(text: string, name: string): number {
  if (name === '') return -1;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
    const [behind = ''] = text.slice(at + name.length, at + name.length + 2);
    if (!OF_A_WORD.test(before) && !OF_A_WORD.test(behind)) return at;
  }
  return -1;
}

function citationOf({ url, title, retrievedAt }: FetchedPage, excerpt: string): ProvedCitation {
  return { url, title, excerpt, retrieved_at: retrievedAt };
}
