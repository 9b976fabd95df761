/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// Runs in a worker thread, in development straight from this text: so it imports packages, types, and a file by its name with `.ts`, in
// which Node can leave out the types (no parameter properties).
import { Readability } from '@mozilla/readability';
import { XMLParser } from 'fast-xml-parser';
import TurndownService from 'turndown';
import { gfm } from 'turndown-plugin-gfm';
import type { PageContact } from '@quarry/engine';
import {
  parseDocument,
  textsOf,
  type PageDocument,
  type PageElement,
  type PageNode,
} from './page-document.ts';
import type { FeedItem, Page, PageArticle, PageHead, PageNumber, PageText, SiteMapEntries } from './page.js';

// Elements cost more than bytes: 250,000 nested elements exceed any time limit. Real pages of 2 MB have about 20,000
// elements, nested about 40 levels deep.
const LIMITS = { elementsMax: 50_000, depthMax: 200 };
const LINKS_MAX = 1000;
const FRAMING_MAX = 300;
/** Parts that are the same on each page of a site, and blocks with a corresponding name. */
const FRAME = 'header, footer, nav, [role="banner"], [role="contentinfo"], [role="navigation"]';
const FRAME_NAME =
  /(^|[\s_-])(header|footer|foot|fuss|fusszeile|social|socials|soc|sns|follow|colophon|topbar|networks)([\s_-]|$)/i;
const METADATA_MAX = 100;
const TEXT_MAX = 1000;
const CONTACTS_MAX = 500;
const NUMBERS_MAX = 500;
const NEAR_MAX = 300;
/** Number of ancestors in which words near an address are searched. */
const LEVELS_MAX = 6;
const NODES_MAX = 200;
/** Maximum number of values per property, and of property names per value. */
const VALUES_MAX = 100;
const NAMES_MAX = 4;
/** Maximum number of JSON-LD values per page: transferring more to the calling thread takes too long. */
const STRUCTURED_VALUES_MAX = 100_000;
const STRUCTURED_DEPTH_MAX = 50;
const PAIRS_MAX = 200;
const FEEDS_MAX = 10;
/** Maximum number of feed entries: an output has at most a hundred, and each entry is searched for the words of a query. */
const ENTRIES_MAX = 200;
/** Maximum number of addresses per site map; mapWebsite returns at most a thousand. */
const PLACES_MAX = 5_000;
/** Pattern of a telephone number in a text: at most 31 characters, so that it is matched in one pass. */
const NUMBER = /\+?\(?\d[\d\s().\/\u2010-\u2015-]{4,27}\d/g;
const DIGITS_MIN = 6;
/** Characters of the patterns that turndown escapes. */
const MARKS = /[\\*`[\]_]|^[-+=#~>\d]/;
const EMAIL = /[\p{L}\p{N}][\p{L}\p{N}._%+'-]{0,63}@(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,63}/gu;
/** Elements whose content is not text of the page. */
const SILENT = ['title', 'script', 'style', 'noscript', 'template', 'svg', 'iframe'];

/** Signal that the thread has started: the time limit applies to the page, and not to loading this file. */
interface Begun {
  begun?: Int32Array;
}

function beginParsing(begun?: Int32Array): void {
  if (!begun) return;
  Atomics.store(begun, 0, 1);
  Atomics.notify(begun, 0);
}

interface Markup extends Begun {
  html: string;
  url: string;
}

/** @returns the data of a page */
export default function parsePage(markup: Markup): Page {
  return factsOf(documentOf(markup), markup.url);
}

/** @returns the data and the text of a page */
export function parseText(markup: Markup): Page & PageText {
  const document = documentOf(markup);
  const facts = factsOf(document, markup.url);
  return { ...facts, markdown: markdownOf(document, markup.url) };
}

/** @returns the metadata, links and text of a page */
export function parseArticle(markup: Markup): PageArticle {
  const document = documentOf(markup);
  const head = headOf(document, markup.url);
  return { ...head, markdown: markdownOf(document, markup.url) };
}

/** @throws RangeError when it has too many elements */
function documentOf({ html, begun }: Markup): PageDocument {
  beginParsing(begun);
  // The parser does not add elements that a page omits.
  return parseDocument(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`, LIMITS);
}

function factsOf(document: PageDocument, url: string): Page {
  const base = baseOf(document, url);
  return {
    ...headOf(document, url),
    framing: framingOf(document, base),
    structured: structuredOf(document),
    microdata: microdataOf(document, base),
    contacts: contactsOf(document),
    numbers: numbersOf(document),
    pairs: pairsOf(document),
    feeds: feedsOf(document, base),
    scripts: document.querySelectorAll('script[src]').map((each) => each.getAttribute('src') ?? ''),
  };
}

function headOf(document: PageDocument, url: string): PageHead {
  const metadata = metadataOf(document);
  const title = shortenText(document.querySelector('title')?.textContent ?? '');
  return {
    title: title || metadata['og:title'] || null,
    description: metadata.description || metadata['og:description'] || null,
    language: document.documentElement?.getAttribute('lang') || metadata['og:locale'] || null,
    links: linksOf(document, baseOf(document, url)),
    metadata,
  };
}

function baseOf(document: PageDocument, url: string): string {
  return absoluteUrl(document.querySelector('base')?.getAttribute('href') ?? '', url) ?? url;
}

const turndown = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
});
turndown.use(gfm);
// The plugin checks whether the first row of a table is a head, and fails when there is none.
turndown.addRule('tableWithoutRows', {
  filter: (node) => node.nodeName === 'TABLE' && (node as HTMLTableElement).rows.length === 0,
  replacement: (content) => `\n\n${content}\n\n`,
});
turndown.escape = escapeMarks;
turndown.remove(SILENT as Array<keyof HTMLElementTagNameMap>);

function markdownOf(document: PageDocument, url: string): string {
  completeAddresses(document, baseOf(document, url));
  const whole = document.querySelector('body') ?? document.documentElement;
  // As nodes: serialising and parsing again would take longer than everything else.
  const node = articleIn(document) ?? whole;
  if (!node) return '';
  // Prevents turndown from copying the node before it changes it; the document is not used afterwards.
  const input = Object.assign(node, { cloneNode: () => node });
  return turndown.turndown(input as unknown as HTMLElement).trim();
}

/**
 * Escapes like turndown, which runs its thirteen patterns on every text of a page: most texts contain none of their
 * characters.
 */
function escapeMarks(text: string): string {
  return MARKS.test(text) ? TurndownService.prototype.escape(text) : text;
}

/** Makes addresses absolute: the text is read elsewhere, where relative ones would not work. */
function completeAddresses(document: PageDocument, base: string): void {
  for (const [selector, attribute] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const)
    for (const element of document.querySelectorAll(selector)) {
      const address = URL.parse(element.getAttribute(attribute) ?? '', base);
      if (address && /^https?:$/.test(address.protocol)) element.setAttribute(attribute, address.href);
    }
}

/** @returns a page's article; null when it has none. Changes the document, so it must run last. */
function articleIn(document: PageDocument): PageNode | null {
  try {
    const serializer = (node: unknown): PageNode => node as PageNode;
    return (
      new Readability(document as unknown as Document, { charThreshold: 200, serializer }).parse()?.content ??
      null
    );
  } catch {
    // It expects elements that a page may omit, such as its body.
    return null;
  }
}

function linksOf(document: PageDocument, base: string): Page['links'] {
  const links = new Map<string, string>();
  for (const anchor of document.querySelectorAll('a[href]')) {
    const url = absoluteUrl(anchor.getAttribute('href') ?? '', base);
    if (url === null || links.has(url)) continue;
    links.set(url, shortenText(anchor.textContent ?? ''));
    if (links.size === LINKS_MAX) break;
  }
  return [...links].map(([url, text]) => ({ url, text }));
}

function framingOf(document: PageDocument, base: string): Page['framing'] {
  const named = document
    .querySelectorAll('[class], [id]')
    .filter(
      ({ className, id, localName }) =>
        localName !== 'body' &&
        localName !== 'a' &&
        FRAME_NAME.test(`${String(className)} ${id}`.replace(/([a-z])([A-Z])/g, '$1 $2')),
    );
  const parts = [...document.querySelectorAll(FRAME), ...named];
  const anchors = new Set(parts.flatMap((part) => part.querySelectorAll('a[href]')));
  // The header of an article is not that of the page.
  const framing = [...anchors].filter((anchor) => !anchor.closest('article, blockquote'));
  return framing.slice(0, FRAMING_MAX).flatMap((anchor) => {
    const url = absoluteUrl(anchor.getAttribute('href') ?? '', base);
    const label =
      shortenText(anchor.textContent ?? '') ||
      (anchor.getAttribute('aria-label') ?? anchor.getAttribute('title')) ||
      (anchor.querySelector('img')?.getAttribute('alt') ?? '');
    return url === null ? [] : [{ url, label: shortenText(label) }];
  });
}

function metadataOf(document: PageDocument): Record<string, string> {
  const entries = new Map<string, string>();
  for (const meta of document.querySelectorAll('meta[content]')) {
    const name = (meta.getAttribute('name') ?? meta.getAttribute('property') ?? '').trim().toLowerCase();
    const content = shortenText(meta.getAttribute('content') ?? '');
    if (name === '' || content === '' || entries.has(name)) continue;
    entries.set(name, content);
    if (entries.size === METADATA_MAX) break;
  }
  return Object.fromEntries(entries);
}

/**
 * Returns the JSON-LD nodes, with lists and graphs flattened. Invalid parts are skipped, as are those that are too deep or
 * too large.
 */
function structuredOf(document: PageDocument): unknown[] {
  let left = STRUCTURED_VALUES_MAX;
  return document.querySelectorAll('script[type^="application/ld+json" i]').flatMap((script) => {
    try {
      const text = script.textContent ?? '';
      const count = countValues(text);
      if (count > left) return [];
      left -= count;
      const data = JSON.parse(text) as unknown;
      return (Array.isArray(data) ? data : [data]).flatMap((each: unknown) => {
        const graph = (each as { '@graph'?: unknown } | null)?.['@graph'];
        return Array.isArray(graph) ? (graph as unknown[]) : [each];
      });
    } catch {
      return [];
    }
  });
}

/**
 * @returns an upper bound of the number of values in a JSON text, as commas within strings count too; Infinity when it is
 *   nested too deeply
 */
function countValues(json: string): number {
  let depth = 0;
  let values = 1;
  for (const [mark] of json.matchAll(/[[\]{},]/g)) {
    values += 1;
    if (mark !== ',') depth += mark === '[' || mark === '{' ? 1 : -1;
    if (depth > STRUCTURED_DEPTH_MAX || values > STRUCTURED_VALUES_MAX) return Infinity;
  }
  return values;
}

/** Returns microdata in the form of JSON-LD. Source: HTML, section 5, Microdata. */
function microdataOf(document: PageDocument, base: string): unknown[] {
  return document
    .querySelectorAll('[itemscope]:not([itemprop])')
    .slice(0, NODES_MAX)
    .map((element) => thingOf(element, base));
}

function thingOf(element: PageElement, base: string): Record<string, unknown> {
  const type = (element.getAttribute('itemtype') ?? '').trim().split(/\s+/)[0]!.split(/[/#]/).at(-1);
  const node = new Map<string, unknown>(type ? [['@type', type]] : []);
  const walk = (parent: PageElement): void => {
    for (const child of parent.children) {
      const named = (child.getAttribute('itemprop') ?? '').slice(0, TEXT_MAX);
      const names = named.split(/\s+/).filter(Boolean).slice(0, NAMES_MAX);
      const isNode = child.hasAttribute('itemscope');
      const value = names.length === 0 ? null : isNode ? thingOf(child, base) : propertyOf(child, base);
      for (const name of names) {
        const known = node.get(name);
        if (known === undefined) node.set(name, value);
        else if (!Array.isArray(known)) node.set(name, [known, value]);
        else if (known.length < VALUES_MAX) known.push(value);
      }
      if (!isNode) walk(child);
    }
  };
  walk(element);
  return Object.fromEntries(node);
}

function propertyOf(element: PageElement, base: string): string {
  const attribute = ['content', 'datetime', 'value'].find((name) => element.hasAttribute(name));
  if (attribute) return shortenText(element.getAttribute(attribute)!);
  const address = element.getAttribute('href') ?? element.getAttribute('src');
  return (address !== null && absoluteUrl(address, base)) || wordsOf(element, TEXT_MAX);
}

/** Returns rows of two cells and terms with one description: other tables cannot be understood without their head. */
function pairsOf(document: PageDocument): Page['pairs'] {
  const rows = document
    .querySelectorAll('tr')
    .filter((row) => row.children.length === 2 && row.querySelectorAll('table').length === 0)
    .filter(({ children }) => /^t[hd]$/i.test(children[0]!.localName) && /^td$/i.test(children[1]!.localName))
    .map(({ children }) => [children[0]!, children[1]!] as const);
  const terms = document
    .querySelectorAll('dl > dt, dl > div > dt')
    .map((term) => [term, term.nextElementSibling] as const)
    .filter((pair): pair is readonly [PageElement, PageElement] => pair[1]?.localName === 'dd');
  return [...rows, ...terms]
    .slice(0, PAIRS_MAX)
    .map(([name, value]) => ({ name: wordsOf(name, NEAR_MAX), value: wordsOf(value, TEXT_MAX) }))
    .filter(({ name, value }) => name !== '' && value !== '');
}

/** Returns addresses in links and texts, and those that Cloudflare obfuscates. */
function contactsOf(document: PageDocument): PageContact[] {
  const contacts = new Map<string, PageContact>();
  const add = (kind: PageContact['kind'], value: string, element: PageElement, selector: string): void => {
    const key = `${kind} ${value.toLowerCase()}`;
    if (value === '' || contacts.has(key) || contacts.size >= CONTACTS_MAX) return;
    const own = element.matches(selector) ? wordsOf(element, TEXT_MAX) : value;
    const hasOthers = (part: PageElement): boolean => part.querySelectorAll(selector).length > 1;
    contacts.set(key, { kind, value, near: nearbyWords(element, hasOthers, own) });
  };
  for (const anchor of document.querySelectorAll('a[href]')) {
    const href = anchor.getAttribute('href') ?? '';
    const hidden = /\/cdn-cgi\/l\/email-protection#([0-9a-f]+)$/i.exec(href)?.[1];
    const [scheme = '', rest = ''] = hidden ? ['mailto', decodeHidden(hidden)] : href.split(/:(.*)/s);
    if (/^\s*mailto$/i.test(scheme))
      for (const [email] of decodeText(rest.split('?')[0]!).matchAll(EMAIL))
        add('email', email, anchor, MAIL);
    else if (/^\s*tel$/i.test(scheme)) add('phone', shortenText(decodeText(rest)), anchor, TEL);
    else if (/^https?:\/\/([a-z]{2,3}\.)?linkedin\.com\/in\/[^/?#]+/i.test(href))
      add('profile', href.trim(), anchor, PROFILE);
  }
  for (const element of document.querySelectorAll('[data-cfemail]'))
    add('email', decodeHidden(element.getAttribute('data-cfemail') ?? ''), element, MAIL);
  const body = document.querySelector('body') ?? document.documentElement;
  for (const { data, parentElement } of body ? textsOf(body) : []) {
    if (!parentElement || !data.includes('@') || SILENT.includes(parentElement.localName)) continue;
    for (const [email] of data.matchAll(EMAIL)) add('email', email, parentElement, MAIL);
  }
  return [...contacts.values()];
}

/**
 * Returns all occurrences of all numbers, unlike the contacts: one in a text may show that a linked number is not a
 * person's.
 */
function numbersOf(document: PageDocument): PageNumber[] | null {
  const links = document.querySelectorAll('[href]').flatMap((link) => {
    const [, rest] = /^\s*tel:(.*)/is.exec(link.getAttribute('href') ?? '') ?? [];
    return rest === undefined ? [] : [{ link, text: shortenText(decodeText(rest)).slice(0, NEAR_MAX) }];
  });
  if (links.length > NUMBERS_MAX) return null;
  // Counted once for all links: a page may have many links in one part.
  const counts = new Map<PageElement, number>();
  for (const { link } of links)
    for (let part: PageElement | null = link; part; part = part.parentElement)
      counts.set(part, (counts.get(part) ?? 0) + 1);
  // An address in a footer is not about anybody in the page above it.
  const leavesFrame = (part: PageElement, place: PageElement): boolean =>
    place.closest(FRAME) !== null && part.closest(FRAME) === null;
  const outlines = outlinesOf(document, links.length > 0);
  const numbers = links.map(({ link, text }): PageNumber => ({
    text,
    isLink: true,
    isQuoted: isQuoted(link, outlines.get(link) ?? ''),
    near: nearbyWords(
      link,
      (part) => counts.get(part)! > 1 || leavesFrame(part, link),
      wordsOf(link, TEXT_MAX),
    ),
  }));
  const body = document.querySelector('body') ?? document.documentElement;
  for (const { data, parentElement } of body ? textsOf(body) : []) {
    if (!parentElement || !data.trim() || SILENT.includes(parentElement.localName)) continue;
    for (const [written] of data.matchAll(NUMBER)) {
      if (written.replace(/\D/g, '').length < DIGITS_MIN || parentElement.closest(TEL)) continue;
      if (numbers.length === NUMBERS_MAX) return null;
      const text = shortenText(written);
      const words = nearbyWords(parentElement, (part) => leavesFrame(part, parentElement), text);
      numbers.push({ text, near: words, isLink: false, isQuoted: isQuoted(parentElement, '') });
    }
  }
  return numbers;
}

/** Returns the headings above each link, as one text. */
function outlinesOf(document: PageDocument, isWanted: boolean): ReadonlyMap<PageElement, string> {
  const outlines = new Map<PageElement, string>();
  if (!isWanted) return outlines;
  let headings: string[] = [];
  for (const part of document.querySelectorAll('h1, h2, h3, h4, h5, h6, [href]'))
    if (/^h\d$/.test(part.localName)) {
      const at = Number(part.localName.slice(1)) - 1;
      headings = headings.slice(0, at);
      headings[at] = wordsOf(part, NEAR_MAX);
    } else outlines.set(part, headings.filter(Boolean).join(' | '));
  return outlines;
}

/** Elements with text of others: quotations, and sections about the company's customers. */
const QUOTED = 'blockquote, q, cite';
const QUOTED_NAME =
  /(^|[\s_-])(testimonials?|quotes?|customers?|clients?|references?|referenzen|kundenstimmen|sponsors?|resellers?|dealers?)([\s_-]|$)/i;

const QUOTED_HEADING =
  /\b(testimonials?|(what )?our (customers?|clients?|partners?)|customers?|clients?|references?|referenzen|kundenstimmen|t[ée]moignages?|agency|agentur)\b/i;

/** @param heading headings above the element */
function isQuoted(element: PageElement, heading: string): boolean {
  if (element.closest(QUOTED) || QUOTED_HEADING.test(heading)) return true;
  let part: PageElement | null = element;
  for (let level = 0; part && level < LEVELS_MAX; level += 1, part = part.parentElement)
    if (QUOTED_NAME.test(`${part.getAttribute('class') ?? ''} ${part.id}`)) return true;
  return false;
}

const TEL = 'a[href^="tel:" i]';
const MAIL = 'a[href^="mailto:"], [data-cfemail]';
const PROFILE = 'a[href*="linkedin.com/in/"]';

/**
 * Returns the words near an element: those of the smallest ancestor with text and without another such element.
 * @param hasOthers returns whether an ancestor contains another such element
 * @param own words that do not count: those of the link or address itself
 */
function nearbyWords(element: PageElement, hasOthers: (part: PageElement) => boolean, own: string): string {
  let words = '';
  let part: PageElement | null = element;
  for (let level = 0; part && level < LEVELS_MAX; level += 1, part = part.parentElement) {
    if (hasOthers(part)) break;
    words = wordsOf(part, TEXT_MAX);
    if (words.replace(own, '').split(' ').filter(Boolean).length >= 2) break;
  }
  const at = words.indexOf(own);
  return words.slice(Math.max(0, at - NEAR_MAX / 2)).slice(0, NEAR_MAX);
}

/** Returns the text of an element with spaces between its parts, which `textContent` omits. */
function wordsOf(part: PageNode, max: number): string {
  let words = '';
  for (const { data, parentElement } of textsOf(part)) {
    if (words.length >= max) break;
    if (!SILENT.includes(parentElement?.localName ?? '')) words += ` ${data.slice(0, 10 * max)}`;
  }
  return words
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?])/g, '')
    .trim()
    .slice(0, max);
}

/** Decodes an obfuscated address: each byte is XORed with the first one. Source: Cloudflare, Email Address Obfuscation. */
function decodeHidden(hex: string): string {
  const [key = 0, ...bytes] = Buffer.from(hex, 'hex');
  return Buffer.from(bytes.map((byte) => byte ^ key)).toString('utf8');
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function feedsOf(document: PageDocument, base: string): string[] {
  const links = document.querySelectorAll(
    'link[rel~="alternate"][type="application/rss+xml"], link[rel~="alternate"][type="application/atom+xml"]',
  );
  return [...links]
    .flatMap((link) => absoluteUrl(link.getAttribute('href') ?? '', base) ?? [])
    .slice(0, FEEDS_MAX);
}

/** @returns the entries of a feed (RSS 1, RSS 2 or Atom) in its own order; empty for another file */
export function parseFeed({ xml, url, begun }: { xml: string; url: string } & Begun): FeedItem[] {
  beginParsing(begun);
  const parser = new XMLParser({
    // Entities are not expanded: a file may define some that expand without limit.
    processEntities: false,
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    removeNSPrefix: true,
    parseTagValue: false,
    isArray: (name) => name === 'item' || name === 'entry',
  });
  type Entry = Record<string, unknown>;
  const { rss, RDF, feed } = parser.parse(wholeEntries(xml)) as Record<string, Entry | undefined>;
  const channel = rss?.channel as Entry | undefined;
  const entries = (channel?.item ?? RDF?.item ?? feed?.entry ?? []) as Entry[];
  return entries.slice(0, ENTRIES_MAX).flatMap((entry) => {
    const at = absoluteUrl(linkOf(entry.link) ?? textOf(entry.guid) ?? '', url);
    if (at === null) return [];
    const when = textOf(entry.pubDate ?? entry.published ?? entry.date ?? entry.updated);
    const time = new Date(when ?? '');
    return {
      title: textOf(entry.title),
      url: at,
      snippet: textOf(entry.description ?? entry.summary ?? entry.encoded ?? entry.content),
      published_at: Number.isNaN(time.getTime()) ? null : time.toISOString(),
    };
  });
}

/** @returns the addresses of a site map or an index of site maps, in its own order; empty for another file */
export function parseSiteMap({
  xml,
  url: base,
  begun,
}: { xml: string; url: string } & Begun): SiteMapEntries {
  beginParsing(begun);
  const parser = new XMLParser({
    processEntities: false,
    removeNSPrefix: true,
    isArray: (name) => name === 'url' || name === 'sitemap',
  });
  type Entry = { loc?: unknown; lastmod?: unknown };
  const { urlset, sitemapindex } = parser.parse(wholeEntries(xml)) as {
    urlset?: { url?: Entry[] };
    sitemapindex?: { sitemap?: Entry[] };
  };
  const namedBy = (entries: Entry[] = []): SiteMapEntries['pages'] =>
    entries.slice(0, PLACES_MAX).flatMap(({ loc, lastmod }) => {
      // The only entity in addresses.
      const url = typeof loc === 'string' ? absoluteUrl(loc.replaceAll('&amp;', '&'), base) : null;
      return url === null
        ? []
        : [{ url, lastModified: typeof lastmod === 'string' ? shortenText(lastmod) : null }];
    });
  return { pages: namedBy(urlset?.url), siteMaps: namedBy(sitemapindex?.sitemap).map(({ url }) => url) };
}

/** Returns a file up to its last whole entry: a large one is cut at the limit of a page, mostly within a tag. */
function wholeEntries(xml: string): string {
  const at = Math.max(...['url', 'sitemap', 'item', 'entry'].map((name) => xml.lastIndexOf(`</${name}>`)));
  return at < 0 ? xml : xml.slice(0, xml.indexOf('>', at) + 1);
}

/** Returns the address of an entry: text in RSS, an attribute of one of several elements in Atom. */
function linkOf(link: unknown): string | null {
  const links = (Array.isArray(link) ? link : [link]) as unknown[];
  const own = links.find(
    (each) =>
      typeof each !== 'object' || ['alternate', undefined].includes((each as { '@rel'?: string })?.['@rel']),
  );
  if (typeof own !== 'object' || own === null) return textOf(own);
  return textOf((own as { '@href'?: unknown })['@href'] ?? own);
}

/** Returns the text of a value that may be markup, possibly escaped with entities. */
function textOf(value: unknown): string | null {
  const raw = typeof value === 'object' ? (value as { '#text'?: unknown } | null)?.['#text'] : value;
  if (typeof raw !== 'string') return null;
  const words = (markup: string): string => wordsOf(parseDocument(markup), TEXT_MAX);
  const once = words(raw.slice(0, 20 * TEXT_MAX));
  return (/<\/?[a-z][^>]*>|&\w+;/i.test(once) ? words(once) : once) || null;
}

/** @returns a web address without its fragment; null for anything else */
function absoluteUrl(href: string, base: string): string | null {
  const url = URL.parse(href, base);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  url.hash = '';
  return url.href;
}

function shortenText(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, TEXT_MAX);
}
