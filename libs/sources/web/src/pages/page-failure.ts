import { OutboundError, UnknownHostError } from '@quarry/safe-http';
import { ProviderFailure } from '@quarry/engine';
import type { PageSource, ReadPage } from './page.js';
import { refusalOf } from './site-pages.js';

/**
 * Converts an error of reading a page to a failure of a search: an address that must not be read is the input's fault.
 * @returns a handler for `catch`; errors other than {@link OutboundError} are rethrown
 */
export function pageFailure(provider: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof OutboundError)) throw error;
    const { fault, message } = error;
    const isTransient = fault === 'unreachable' || fault === 'too slow';
    const code = isTransient ? 'provider_unavailable' : 'provider_rejected';
    throw new ProviderFailure(code, message, { provider, isTransient, cause: error });
  };
}

/**
 * Reads from a host for a service to which a non-existent host is a miss.
 * @returns null for a host without an address
 * @throws ProviderFailure from {@link pageFailure}
 */
export function readOfHost<T>(provider: string, reading: Promise<T>): Promise<T | null> {
  return reading.catch((error: unknown) =>
    error instanceof UnknownHostError ? null : pageFailure(provider)(error),
  );
}

/**
 * Reads the home page of a site for a service to which a missing one is a miss.
 * @returns null for a host without an address, and for a page that does not exist
 * @throws ProviderFailure also for a page with an error in its place, which says nothing about the site
 */
export async function readHome(
  provider: string,
  reader: PageSource,
  url: string,
  signal: AbortSignal,
): Promise<ReadPage | null> {
  const page = await readOfHost(provider, reader.readPage(url, { signal }));
  const refusal = page && refusalOf(page);
  if (refusal) pageFailure(provider)(refusal);
  return page && page.status < 400 ? page : null;
}
