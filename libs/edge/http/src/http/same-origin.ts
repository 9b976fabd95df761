import type { IncomingMessage } from 'node:http';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** @returns whether the method is safe, that is, changes nothing. Source: RFC 9110, 9.2.1 */
export function isSafe({ method }: Pick<IncomingMessage, 'method'>): boolean {
  return SAFE.has(method ?? '');
}

/**
 * Tells whether a page of this origin has sent a request. Browsers say so in Sec-Fetch-Site, which no page can set; over plain
 * http from other machines they leave it out, and Origin names the page instead.
 */
export function isSameOrigin({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host.toLowerCase();
}
