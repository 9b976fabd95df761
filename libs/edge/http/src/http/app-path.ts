import type { IncomingMessage } from 'node:http';

/** The part of the web application's API that a request is for: the public API in one mode, or the routes of sessions. */
export type AppScope = 'live' | 'test' | 'own';

/** Paths below it use the session of a browser; all others do not. */
export const APP_API = '/app/api/';

const OF_MODE = /^\/app\/api\/(live|test)(\/.*)$/s;
/** Routes of the public API that are served here too: not /mcp, the probes or the documentation. */
const PUBLIC = /^\/(v1|services|credits)(?=[/?]|$)/;

const scopes = new WeakMap<IncomingMessage, AppScope>();

/**
 * Maps an address of the web application's API to the public route, and remembers its scope.
 * @returns the address to route; other addresses unchanged, except for percent-encoded letters
 */
export function routedUrl(request: IncomingMessage, requested: string): string {
  const url = decodeLetters(requested);
  if (!url.startsWith(APP_API)) return url;
  const [, mode, rest] = OF_MODE.exec(url) ?? [];
  scopes.set(request, mode === 'live' || mode === 'test' ? mode : 'own');
  return rest !== undefined && PUBLIC.test(rest) ? rest : url;
}

/** Decodes percent-encoded letters and digits of a path, as the router does. Source: RFC 3986, section 6.2.2.2. */
function decodeLetters(url: string): string {
  if (!url.includes('%')) return url;
  const path = url.split('?', 1)[0]!;
  return path.replace(/%(?:3\d|[46][1-9a-f]|[57][0-9a])/gi, decodeURIComponent) + url.slice(path.length);
}

/** @returns the scope found by {@link routedUrl}; undefined outside the web application */
export function appScopeOf(request: IncomingMessage): AppScope | undefined {
  return scopes.get(request);
}
