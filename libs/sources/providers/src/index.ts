export { resealKeys } from './choices/reseal-keys.js';
export { ConfiguredProviders } from './operator/configured-providers.js';
export { webOf, type OutboundVariables } from './env/outbound.env.js';
export { providersOf, withProviders } from './env/provider.env.js';
export { addProviderMetrics } from './provider-metrics.js';
export { ProvidersApiModule, ProvidersModule } from './providers.module.js';
