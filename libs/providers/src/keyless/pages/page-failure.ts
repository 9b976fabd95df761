import { OutboundError } from '@quarry/outbound';
import { ProviderFailure } from '../../ports/lookup.port.js';

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
