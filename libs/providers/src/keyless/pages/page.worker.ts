/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// Runs in a worker thread, in development straight from this text: so it imports packages only, and types of its own room.
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { gfm } from 'turndown-plugin-gfm';
import type { Page } from './page.js';

const LINKS_MAX = 1000;
const METADATA_MAX = 100;
const TEXT_MAX = 1000;
/** Not words of the page. */
const SILENT = ['title', 'script', 'style', 'noscript', 'template', 'svg', 'iframe'];

/** @returns what a page says, as text and as data */
export default function parsePage({ html, url }: { html: string; url: string }): Page {
  // The parser adds no elements that a page leaves out.
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  const base = absolute(document.querySelector('base')?.getAttribute('href') ?? '', url) ?? url;
  const links = linksOf(document, base);
  const metadata = metadataOf(document);
  const structured = structuredOf(document);
  const scripts = [...document.querySelectorAll('script[src]')].map((each) => each.getAttribute('src') ?? '');
  const language = document.documentElement?.getAttribute('lang') || metadata['og:locale'] || null;
  const title = short(document.querySelector('title')?.textContent ?? '') || metadata['og:title'] || null;
  const description = metadata.description || metadata['og:description'] || null;
  return {
    title,
    description,
    language,
    markdown: markdownOf(document),
    links,
    metadata,
    structured,
    scripts,
  };
}

function markdownOf(document: Document): string {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  });
  turndown.use(gfm);
  turndown.remove(SILENT as Array<keyof HTMLElementTagNameMap>);
  const whole = (document.querySelector('body') ?? document.documentElement)?.innerHTML ?? '';
  // It changes the document that it reads, so it comes last. A page that is no article is taken whole.
  const article = new Readability(document, { charThreshold: 200 }).parse();
  return turndown.turndown(article?.content || whole).trim();
}

function linksOf(document: Document, base: string): Page['links'] {
  const links = new Map<string, string>();
  for (const anchor of document.querySelectorAll('a[href]')) {
    const url = absolute(anchor.getAttribute('href') ?? '', base);
    if (url === null || links.has(url)) continue;
    links.set(url, short(anchor.textContent ?? ''));
    if (links.size === LINKS_MAX) break;
  }
  return [...links].map(([url, text]) => ({ url, text }));
}

function metadataOf(document: Document): Record<string, string> {
  const entries = new Map<string, string>();
  for (const meta of document.querySelectorAll('meta[content]')) {
    const name = (meta.getAttribute('name') ?? meta.getAttribute('property') ?? '').trim().toLowerCase();
    const content = short(meta.getAttribute('content') ?? '');
    if (name === '' || content === '' || entries.has(name)) continue;
    entries.set(name, content);
    if (entries.size === METADATA_MAX) break;
  }
  return Object.fromEntries(entries);
}

/** JSON-LD, lists and graphs taken apart. What cannot be parsed says nothing. */
function structuredOf(document: Document): unknown[] {
  return [...document.querySelectorAll('script[type="application/ld+json"]')].flatMap((script) => {
    try {
      const data = JSON.parse(script.textContent ?? '') as unknown;
      return (Array.isArray(data) ? data : [data]).flatMap((each: unknown) => {
        const graph = (each as { '@graph'?: unknown } | null)?.['@graph'];
        return Array.isArray(graph) ? (graph as unknown[]) : [each];
      });
    } catch {
      return [];
    }
  });
}

/** @returns a web address without its fragment; null for anything else */
function absolute(href: string, base: string): string | null {
  const url = URL.parse(href, base);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  url.hash = '';
  return url.href;
}

function short(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, TEXT_MAX);
}
