import type { LookupProvider } from './ports/lookup.port.js';

/** @returns the provider, asked only for those of its services that pass `isOffered`. */
export function offering(provider: LookupProvider, isOffered: (service: string) => boolean): LookupProvider {
  return {
    id: provider.id,
    services: provider.services.filter(isOffered),
    takes: (call) => provider.takes?.(call) ?? true,
    run: (call) => provider.run(call),
  };
}
