import type { FastifyRequest } from 'fastify';

/**
 * Returns the address of the API as the caller reaches it, without a trailing slash.
 * @param appUrl address of the web application below the API's, if the operator has configured one
 */
export function baseUrlOf({ headers }: FastifyRequest, appUrl: string | undefined): string {
  if (appUrl?.endsWith('/app')) return appUrl.slice(0, -'/app'.length);
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${headers.host}`;
}
