import { OutboundError, UnknownHostError } from '@quarry/safe-http';
import { ProviderFailure } from '@quarry/engine';

/**
 * Turns what kept a page from being read into a failure of a search: an address that must not be read is the input's fault.
 * @returns a handler for `catch`; what is no {@link OutboundError} is thrown on
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
 * Reads what a host serves, for a service to which a host that does not exist is an answer: nothing was found.
 * @returns null for a host that has no address
 * @throws ProviderFailure as {@link pageFailure} makes it
 */
export function readOfHost<T>(provider: string, reading: Promise<T>): Promise<T | null> {
  return reading.catch((error: unknown) =>
    error instanceof UnknownHostError ? null : pageFailure(provider)(error),
  );
}
