import { registrableDomain } from '@quarry/dto';

/** What a page is made of, without the words that it shows. */
export interface PageMarks {
  /** Its tags, one a line; none of a comment, and none that it only shows. */
  tags: string;
  /** Its own scripts. */
  inline: string;
  /** Sources of its scripts, styles and images that stand on the page's own site. */
  assets: string[];
  /** Sources of its scripts and frames, wherever they stand. */
  loaded: string[];
}

/** Elements whose content is text to the browser, whatever it looks like. */
const RAW = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed']);
/** Pages with more of them say nothing further with the rest. */
const LOADED_MAX = 2_000;
const LOADED = new Set(['script', 'link', 'img', 'source', 'form']);
const ADDRESS = /\s(?:src|href|data-src|srcset|action)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
/** Data in a script element is no script. */
const DATA = /\stype\s*=\s*["']?(application|text)\/(ld\+json|json|x-[\w-]+|template|html)/i;

/**
 * Reads a page once from its beginning to its end, so that no text makes it slow.
 * @param page its text and its address
 */
export function marksOf({ html, url }: { html: string; url: string }): PageMarks {
  const lower = html.toLowerCase();
  const tags: string[] = [];
  const inline: string[] = [];
  const assets: string[] = [];
  const loaded: string[] = [];
  let judged = 0;
  const isOwn = ownBy(url);
  for (let at = lower.indexOf('<'); at !== -1; at = lower.indexOf('<', at)) {
    if (lower.startsWith('<!--', at)) {
      const end = lower.indexOf('-->', at + 4);
      if (end === -1) break;
      at = end + 3;
      continue;
    }
    const end = lower.indexOf('>', at);
    if (end === -1) break;
    const name = /^[a-z][a-z0-9-]*/.exec(lower.slice(at + 1, at + 40))?.[0];
    if (name === undefined) {
      at += 1;
      continue;
    }
    const tag = html.slice(at, end + 1);
    tags.push(tag);
    if (LOADED.has(name) && (judged += 1) <= LOADED_MAX) assets.push(...addressesIn(tag).filter(isOwn));
    if (name === 'script' || name === 'iframe') loaded.push(...addressesIn(tag));
    at = end + 1;
    if (!RAW.has(name)) continue;
    const close = lower.indexOf(`</${name}`, at);
    const inner = html.slice(at, close === -1 ? undefined : close);
    if (name === 'script' && !DATA.test(tag)) inline.push(inner);
    if (close === -1) break;
    at = close;
  }
  return { tags: tags.join('\n'), inline: inline.join('\n'), assets, loaded };
}

function addressesIn(tag: string): string[] {
  return [...tag.matchAll(ADDRESS)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
}

/** @returns whether an address, as a page has it, leads to the page's own site, or to a copy of it that names the site */
function ownBy(page: string): (address: string) => boolean {
  const { hostname } = new URL(page);
  const own = registrableDomain(hostname) ?? hostname;
  return (address) => {
    const url = URL.parse(address, page);
    if (!url || !/^https?:$/.test(url.protocol)) return false;
    return (registrableDomain(url.hostname) ?? url.hostname) === own || url.pathname.includes(own);
  };
}
