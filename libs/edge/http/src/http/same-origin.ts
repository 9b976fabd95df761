import type { IncomingMessage } from 'node:http';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** @returns whether a request changes nothing by its method. Source: RFC 9110, 9.2.1 */
export function isSafe({ method }: Pick<IncomingMessage, 'method'>): boolean {
  return SAFE.has(method ?? '');
}

/**
 * Tells whether a page of this very origin has sent a request. Browsers say so in Sec-Fetch-Site, which no page can set;
 * they leave it out on plain http of other machines, and there Origin names the page.
 */
export function isSameOrigin({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host.toLowerCase();
}
