import type { FastifyRequest } from 'fastify';

/**
 * Returns the address of the API as the caller reaches it, without a slash at its end.
 * @param appUrl address of the web application where an operator has set one: it stands below the API's
 */
export function baseUrlOf({ headers }: FastifyRequest, appUrl: string | undefined): string {
  if (appUrl?.endsWith('/app')) return appUrl.slice(0, -'/app'.length);
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${headers.host}`;
}
