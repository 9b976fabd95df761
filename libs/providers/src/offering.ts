import type { SlowServiceProvider } from './ports/slow-service.port.js';

/** @returns the provider, asked only for those of its services that pass `isOffered`. */
export function offering(
  provider: SlowServiceProvider,
  isOffered: (service: string) => boolean,
): SlowServiceProvider {
  return {
    id: provider.id,
    services: provider.services.filter(isOffered),
    run: (call) => provider.run(call),
  };
}
