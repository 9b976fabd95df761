import type { LookupProvider, ProviderCall } from './ports/lookup.port.js';

/** @returns the provider, asked only with what `takes` lets through beside its own rule */
export function withInputFilter(
  provider: LookupProvider,
  takes: (call: ProviderCall) => boolean,
): LookupProvider {
  return {
    id: provider.id,
    services: provider.services,
    takes: (call) => takes(call) && (provider.takes?.(call) ?? true),
    run: (call) => provider.run(call),
  };
}

/** @returns the provider, asked only for those of its services that pass `isOffered`. */
export function withServices(
  provider: LookupProvider,
  isOffered: (service: string) => boolean,
): LookupProvider {
  return {
    id: provider.id,
    services: provider.services.filter(isOffered),
    takes: (call) => provider.takes?.(call) ?? true,
    run: (call) => provider.run(call),
  };
}
