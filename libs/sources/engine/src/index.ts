export { fullOutput, missOutput, profileOf } from './answers/miss-outputs.js';
export { chainsOf, type DirectoryLists } from './directories/directory-chain.js';
export { DirectoryLineSearch } from './directories/directory-search.provider.js';
export { HttpVendorProvider, type HttpVendorOptions } from './http-vendor/http-vendor.provider.js';
export {
  failureOfCall,
  failureOfVerdict,
  invalidOutput,
  type Verdict,
} from './http-vendor/vendor-failure.js';
export { ANSWER_BYTES_MAX, jsonOf } from './http-vendor/vendor.client.js';
export { listOf } from './list-of.js';
export { PolicedProvider } from './policy/policed.provider.js';
export type { ProviderMetrics } from './policy/provider-metrics.js';
export { SANDBOX_POLICY, VENDOR_POLICY } from './policy/provider-policy.js';
export type {
  DirectorySearchCall,
  DirectorySearchProvider,
  FoundPage,
} from './ports/directory-search.port.js';
export {
  answerOf,
  ProviderFailure,
  SearchLostError,
  type Cost,
  type LookupProvider,
  type OperatorTask,
  type ProviderAnswer,
  type ProviderCall,
  type TrailStep,
  type VendorJob,
} from './ports/lookup.port.js';
export { savedBy, saveFor } from './ports/saved-jobs.js';
export type { PageContact, StructuredData } from './ports/structured-data.js';
export { orAborted, timedSignal } from './ports/timed-signal.js';
export { WebPages, type StructuredField, type WebPage } from './ports/web-pages.port.js';
export { Providers, type Directories } from './providers.port.js';
export { isReservedName } from './reserved-names.js';
export { isFromSandbox } from './sandbox-rows.js';
export { DIRECTORY_NAME, IMPORTED } from './settings/directory-names.js';
export {
  ACCEPTED_STATUSES,
  ProviderSettingsError,
  readProvidersFile,
  SANDBOX,
  type ProvidersFile,
} from './settings/providers-file.js';
export { unavailableReason } from './unavailable-reason.js';
export { Waterfall, type ProviderOrder, type RouteStep } from './waterfall.js';
