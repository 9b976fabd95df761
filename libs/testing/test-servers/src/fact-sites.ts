import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { HttpSite, listenLocally } from './http-site.js';

/** Page of the fixture, and the facts that a run must find on it. */
export interface FactPage {
  host: string;
  html: string;
  facts: { name: string; founded: number; email: string; phone: string };
}

/** Forms in which pages state facts as structured data. */
const FORMS: ReadonlyArray<(facts: FactPage['facts']) => string> = [
  (facts) =>
    `<script type="application/ld+json">${JSON.stringify({
      '@type': 'Organization',
      name: facts.name,
      foundingDate: `${facts.founded}-03-01`,
      email: facts.email,
      telephone: facts.phone,
    })}</script><p>Welcome.</p>`,
  ({ name, founded, email, phone }) =>
    `<div itemscope itemtype="https://schema.org/Organization"><b itemprop="name">${name}</b>
     <time itemprop="foundingDate" datetime="${founded}">then</time>
     <a itemprop="email" content="${email}">Mail</a> <span itemprop="telephone">${phone}</span></div>`,
  ({ name, founded, email, phone }) =>
    `<table><tr><th>Name</th><td>${name}</td></tr><tr><th>Founded</th><td>${founded}</td></tr>
     <tr><th>E-mail</th><td>${email}</td></tr><tr><th>Phone</th><td>${phone}</td></tr></table>`,
  ({ name, founded, email, phone }) =>
    `<dl><dt>Name</dt><dd>${name}</dd><dt>Founded</dt><dd>${founded}</dd></dl>
     <a href="mailto:${email}">Write</a> <a href="tel:${phone.replaceAll(' ', '')}">Call</a>`,
  ({ name, founded, email, phone }) =>
    `<meta property="og:title" content="${name}"><table><tr><td>Founded</td><td>${founded}</td></tr></table>
     <a href="mailto:${email}">Write</a> <a href="tel:${phone.replaceAll(' ', '')}">Call</a>`,
];

const PAGES = 30;
const pageOf = (n: number): FactPage => {
  const host = `127.0.1.${n + 11}`;
  const facts = {
    name: `Firm ${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n % 26]}${n} & Söhne`,
    founded: 1880 + 4 * n,
    email: `office${n}@firm-${n}.example`,
    phone: `+49 30 ${2_000_000 + 7 * n}`,
  };
  return { host, facts, html: `<html lang="en"><body>${FORMS[n % FORMS.length]!(facts)}</body></html>` };
};

/** Thirty sites with known facts, each at its own loopback address, and pages that respond when a spec releases them. */
export class FactSites extends HttpSite {
  readonly pages = Array.from({ length: PAGES }, (_, n) => pageOf(n));
  /** Additional pages by `host/path`. */
  readonly others = new Map<string, string>();
  /** Targets of pages that redirect, by `host/path`. */
  readonly redirects = new Map<string, string>();
  /** Number of fetches of each page, by `host/path`. */
  readonly fetched = new Map<string, number>();
  private readonly waiting = new Map<string, Array<() => void>>();
  private readonly held = new Set<string>();

  private constructor(server: Server) {
    super(server);
    server.on('request', (request, response) => this.meet(request, response));
  }

  static async start(): Promise<FactSites> {
    return new FactSites(await listenLocally(undefined, 0, '0.0.0.0'));
  }

  /** Adds a page with one paragraph, followed by the given markup. */
  write(host: string, path: string, text: string, markup = ''): void {
    const html = `<html lang="en"><body><main><p>${text}</p>${markup}</main></body></html>`;
    this.others.set(host + path, html);
  }

  /** @returns the address of a page on one of the hosts */
  url(host: string, path = '/'): string {
    return `http://${host}:${this.port}${path}`;
  }

  /** Holds a page until it is released. @returns the release function */
  hold(host: string, path: string): () => void {
    const place = host + path;
    this.held.add(place);
    return () => {
      this.held.delete(place);
      for (const answer of this.waiting.get(place) ?? []) answer();
      this.waiting.delete(place);
    };
  }

  /** @returns the number of requests that wait for a held page */
  waitingFor(host: string, path: string): number {
    return this.waiting.get(host + path)?.length ?? 0;
  }

  private meet({ headers, url }: IncomingMessage, response: ServerResponse): void {
    const place = `${headers.host!.split(':')[0]}${url}`;
    const answer = (): void => {
      const html =
        this.others.get(place) ??
        (url === '/' ? this.pages.find(({ host }) => place === `${host}/`)?.html : undefined);
      response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(html ?? 'Nothing here');
    };
    const target = this.redirects.get(place);
    if (target !== undefined) return void response.writeHead(302, { location: target }).end();
    if (url === '/robots.txt') return answer();
    this.fetched.set(place, (this.fetched.get(place) ?? 0) + 1);
    if (!this.held.has(place)) return answer();
    this.waiting.set(place, [...(this.waiting.get(place) ?? []), answer]);
  }
}
