import type { IncomingMessage } from 'node:http';

/**
 * Part of the web application's own API that a request is for: all of the public API in one mode, or the routes of
 * sessions.
 */
export type AppScope = 'live' | 'test' | 'own';

/** Everything below it is asked for with the session of a browser, and nothing else is. */
export const APP_API = '/app/api/';

const OF_MODE = /^\/app\/api\/(live|test)(\/.*)$/s;
/** Routes of the public API that are served again: /mcp, the probes and the documentation are not. */
const PUBLIC = /^\/(v1|services|credits)(?=[/?]|$)/;

const scopes = new WeakMap<IncomingMessage, AppScope>();

/**
 * Maps an address of the web application's API to the route that answers it, and remembers on whose behalf.
 * @returns the address to route; addresses elsewhere as they are, but for letters that were written as bytes
 */
export function routedUrl(request: IncomingMessage, requested: string): string {
  const url = decodeLetters(requested);
  if (!url.startsWith(APP_API)) return url;
  const [, mode, rest] = OF_MODE.exec(url) ?? [];
  scopes.set(request, mode === 'live' || mode === 'test' ? mode : 'own');
  return rest !== undefined && PUBLIC.test(rest) ? rest : url;
}

/** Writes letters and digits of a path as themselves, as the router reads them. Source: RFC 3986, section 6.2.2.2. */
function decodeLetters(url: string): string {
  if (!url.includes('%')) return url;
  const path = url.split('?', 1)[0]!;
  return path.replace(/%(?:3\d|[46][1-9a-f]|[57][0-9a])/gi, decodeURIComponent) + url.slice(path.length);
}

/** @returns the scope that {@link routedUrl} has found; undefined for what is not of the web application */
export function appScopeOf(request: IncomingMessage): AppScope | undefined {
  return scopes.get(request);
}
