export { resealKeys } from './choices/reseal-keys.js';
export {
  ConfiguredProviders,
  type OwnVendorSettings,
  type ProviderSettings,
} from './operator/configured-providers.js';
export { ProvidersApiModule, ProvidersModule } from './providers.module.js';
