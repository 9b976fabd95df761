export type {
  DirectorySearchCall,
  DirectorySearchProvider,
  FoundPage,
} from './ports/directory-search.port.js';
export { createRandom, type Random } from './sandbox/directory/random.js';
export { SandboxDirectory } from './sandbox/directory/sandbox-directory.provider.js';
export {
  ProviderFailure,
  type LookupProvider,
  type ProviderCall,
  type ProviderAnswer,
  SearchLostError,
  type TrailStep,
  type VendorJob,
} from './ports/lookup.port.js';
export { timedSignal } from './ports/timed-signal.js';
export { savedBy, saveFor } from './ports/saved-jobs.js';
export { SandboxContactProvider } from './sandbox/services/sandbox-contact.provider.js';
export { HttpVendorProvider, type HttpVendorOptions } from './http-vendor/http-vendor.provider.js';
export { offering } from './offering.js';
export { Waterfall } from './waterfall.js';
export { SandboxActivityProvider } from './sandbox/services/sandbox-activity.provider.js';
export { SandboxResearchProvider } from './sandbox/services/sandbox-research.provider.js';
export { SandboxSearchProvider } from './sandbox/services/sandbox-search.provider.js';
export { PolicedProvider } from './policy/policed.provider.js';
export type { ProviderFigures } from './policy/provider-figures.js';
export { SANDBOX_POLICY, VENDOR_POLICY } from './policy/provider-policy.js';
export type { WebSettings } from './web/web-providers.js';
export {
  ConfiguredProviders,
  type CatalogueSettings,
  type OwnVendorSettings,
  type ProviderSettings,
} from './configured-providers.js';
export { isReservedName } from './reserved-names.js';
export { SANDBOX } from './settings/providers-file.js';
export { ProviderSettingsError, readProvidersFile } from './settings/providers-file.js';
export { fullOutput, missOutput } from './vendors/miss-outputs.js';
export { phonesOf } from './answers/phones.js';
export { VENDORS } from './vendors/vendors.js';
export { ProvidersApiModule, ProvidersModule } from './providers.module.js';
export { WebPages, type StatedField, type WebPage } from './ports/web-pages.port.js';
export { Providers, type Directories } from './providers.port.js';
export { DirectoryStore, type DirectorySummary } from './directories/directory.store.js';
export { resealKeys, type ResealedKeys } from './choices/reseal-keys.js';
export { ErasedPeople } from './directories/erased-people.js';
export type { DirectoryFile } from './directories/directory-file.js';
export { JsonLinesFile } from './directories/json-lines.file.js';
export {
  DirectoryImporter,
  type ImportOrder,
  type ImportReport,
} from './directories/import/directory-importer.js';
export { findMapping, guessMapping, type MappingGuess } from './directories/import/find-mapping.js';
export type { FieldMapping } from './directories/import/field-reader.js';
export { DIRECTORY_KINDS, type DirectoryKind } from './directories/import/target-fields.catalogue.js';
export { ImportedCompanies, ImportedPeople } from './directories/search/imported-directory.js';
