import { registrableDomain } from '@quarry/dto';

/** Markup of a page, without the words that it shows. */
export interface PageMarks {
  /** Its tags, one a line; none of a comment, and none that it only shows. */
  tags: string;
  /** Its own scripts. */
  inline: string;
  /** Sources of its scripts, styles and images that stand on the page's own site. */
  assets: string[];
  /** Sources of its scripts and frames, and addresses that its scripts name, wherever they stand. */
  loaded: string[];
}

/** Elements whose content is text to the browser, whatever it looks like. */
const RAW = new Map(
  ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed'].map((name) => [
    name,
    new RegExp(`</${name}`, 'gi'),
  ]),
);
const NAME = /[a-z][a-z0-9-]{0,40}/iy;
/** Pages with more of them say nothing further with the rest. */
const LOADED_MAX = 1_000;
const LOADED = new Set(['script', 'link', 'img', 'source', 'form']);
const ADDRESS = /\s(?:src|href|data-src|srcset|action)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
/** Addresses with a path in a script, which name the files that it loads. */
const NAMED_ADDRESS = /(?:https?:)?\/\/[\w.-]{4,100}\/[^\s"'`<>)\\]{1,300}/g;
const NAMED_MAX = 500;
/** Data in a script element is no script. */
const DATA =
  /\stype\s*=\s*["']?(application|text)\/(ld\+json|json|x-(handlebars|mustache|jquery-tmpl|magento-init|template)[\w-]*|html)/i;

/** Of a page: two megabytes would take 70 ms of one core, and what a page is made of stands at its beginning. */
export const MARKED_CHARACTERS_MAX = 512_000;

/**
 * Reads a page once from its beginning on, so that no text makes it slow.
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
    // A sign that begins no tag is passed over before its end is looked for, which may be far.
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
