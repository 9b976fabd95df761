export {
  addressPartsOf,
  citiesNamed,
  COUNTRIES,
  countryNamed,
  countryPlace,
  departmentAt,
  type DepartmentId,
  departmentName,
  departmentNamed,
  DEPARTMENTS,
  foldText,
  foldWord,
  foldWords,
  industriesNamed,
  INDUSTRY_GROUPS,
  industryAt,
  industryOf,
  isIn,
  type Location,
  memberOf,
  PhraseIndex,
  type Place,
  placeAt,
  placeContains,
  placeNamed,
  regionPlace,
  REGIONS,
  type Role,
  roleAt,
  roleNamed,
  SENIORITIES,
  type SeniorityId,
  seniorityName,
  seniorityNamed,
  singularOf,
  stateByCode,
  traitAt,
  type TraitKind,
  traitName,
  VENTURE_STAGE_IDS,
} from './vocabulary/index.js';
export {
  DIRECTORY_SORT_FIELDS,
  type CompanyFilters,
  type CompanyQuery,
  type DirectorySort,
  type NumberRange,
  type PeopleQuery,
  type PersonFilters,
} from './ports/directory-filters.js';
export { companyMatches, hasRole, isInRanges, personMatches } from './ports/directory-match.js';
export type {
  CompanyRecord,
  EducationRecord,
  ExperienceRecord,
  PersonRecord,
} from './ports/directory-record.js';
export type {
  CompanyDirectory,
  CompanyKey,
  DirectoryAnswer,
  DirectorySearchOptions,
  PeopleDirectory,
  PersonKey,
} from './ports/directory.port.js';
export { companyValues, personValues, type RecordValues } from './ports/directory-values.js';
export type { FastCall, FastServiceProvider, FoundPage } from './ports/fast-service.port.js';
export { createRandom, SandboxDirectory, type Random } from './sandbox/directory/index.js';
export {
  ProviderFailure,
  type ProviderAnswer,
  type ProviderCall,
  type SlowServiceProvider,
} from './ports/slow-service.port.js';
export {
  SandboxContactProvider,
  type SandboxContactOptions,
} from './sandbox/services/sandbox-contact.provider.js';
export { HttpVendorProvider, type HttpVendorOptions } from './http-vendor/http-vendor.provider.js';
export { offering } from './offering.js';
export { Waterfall } from './waterfall.js';
export { SandboxActivityProvider } from './sandbox/services/sandbox-activity.provider.js';
export { SandboxResearchProvider } from './sandbox/services/sandbox-research.provider.js';
export { SandboxSearchProvider } from './sandbox/services/sandbox-search.provider.js';
export { PolicedProvider } from './policy/policed.provider.js';
export type { ProviderFigures } from './policy/provider-figures.js';
export { SANDBOX_POLICY, VENDOR_POLICY, type ProviderPolicy } from './policy/provider-policy.js';
