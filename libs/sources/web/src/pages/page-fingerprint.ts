import { registrableDomain } from '@quarry/dto';

/** Markup of a page, without its visible text. */
export interface PageMarks {
  /** Its tags, one per line; without those in comments or shown as text. */
  tags: string;
  /** Inline scripts. */
  inline: string;
  /** Sources of its scripts, styles and images on the page's own site. */
  assets: string[];
  /** Sources of its scripts and frames, and addresses in its scripts, on any site. */
  loaded: string[];
}

/** Elements whose content browsers always treat as text. */
const RAW = new Map(
  ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed'].map((name) => [
    name,
    new RegExp(`</${name}`, 'gi'),
  ]),
);
const NAME = /[a-z][a-z0-9-]{0,40}/iy;
/** Maximum number of loaded addresses; more add no information. */
const LOADED_MAX = 1_000;
const LOADED = new Set(['script', 'link', 'img', 'source', 'form']);
const ADDRESS = /\s(?:src|href|data-src|srcset|action)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
/** Addresses with a path in a script, which are those of files it loads. */
const NAMED_ADDRESS = /(?:https?:)?\/\/[\w.-]{4,100}\/[^\s"'`<>)\\]{1,300}/g;
const NAMED_MAX = 500;
/** Script elements that contain data. */
const DATA =
  /\stype\s*=\s*["']?(application|text)\/(ld\+json|json|x-(handlebars|mustache|jquery-tmpl|magento-init|template)[\w-]*|html)/i;

/**
 * Maximum number of characters of a page: two megabytes would take 70 ms of CPU time, and the relevant markup is at the
 * start.
 */
export const MARKED_CHARACTERS_MAX = 512_000;

/**
 * Scans a page in one pass, so that no text makes it slow.
 * @param page its text and its address
 */
export function marksOf({ html: whole, url }: { html: string; url: string }): PageMarks {
  const html = whole.slice(0, MARKED_CHARACTERS_MAX);
  const tags: string[] = [];
  const inline: string[] = [];
  const assets: string[] = [];
  const loaded: string[] = [];
  let compared = 0;
  const isOwn = ownBy(url);
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at + 4);
      if (end === -1) break;
      at = end + 3;
      continue;
    }
    // A character that starts no tag is skipped before the end of a tag is searched, which may be far away.
    NAME.lastIndex = at + 1;
    const name = NAME.exec(html)?.[0].toLowerCase();
    if (name === undefined) {
      at += 1;
      continue;
    }
    const end = html.indexOf('>', at);
    if (end === -1) break;
    const tag = html.slice(at, end + 1);
    tags.push(tag);
    if (LOADED.has(name) && (compared += 1) <= LOADED_MAX) assets.push(...addressesIn(tag).filter(isOwn));
    if (name === 'script' || name === 'iframe') loaded.push(...addressesIn(tag));
    at = end + 1;
    const closing = RAW.get(name);
    if (!closing) continue;
    closing.lastIndex = at;
    const close = closing.exec(html)?.index;
    if (name === 'script' && !DATA.test(tag)) inline.push(html.slice(at, close));
    if (close === undefined) break;
    at = close;
  }
  const scripts = inline.join('\n');
  const named = [...scripts.replaceAll('\\/', '/').matchAll(NAMED_ADDRESS)].slice(0, NAMED_MAX);
  return {
    tags: tags.join('\n'),
    inline: scripts,
    assets,
    loaded: [...loaded, ...named.map(([url]) => url)],
  };
}

function addressesIn(tag: string): string[] {
  return [...tag.matchAll(ADDRESS)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
}

/** @returns a function that checks whether an address is on the page's own site, or on a CDN whose path names the site */
function ownBy(page: string): (address: string) => boolean {
  const { hostname } = new URL(page);
  const own = registrableDomain(hostname) ?? hostname;
  return (address) => {
    const url = URL.parse(address, page);
    if (!url || !/^https?:$/.test(url.protocol)) return false;
    return (registrableDomain(url.hostname) ?? url.hostname) === own || url.pathname.includes(own);
  };
}
