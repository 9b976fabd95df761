export { attributeAt, attributeNamed, companyAttributeAt } from './attributes/attribute-index.js';
export type {
  Direction,
  FilterType,
  FilterValues,
  LookupEntry,
  NumberRange,
} from './attributes/attribute.js';
export {
  type Attribute,
  COMPANY_ATTRIBUTES,
  COMPANY_FILTERS,
  type CompanyFilters,
  COMPANY_KEYS,
  type DirectorySort,
  type Filter,
  type FilterName,
  isSortable,
  LOOKUP_ATTRIBUTES,
  type Measure,
  PERSON_ATTRIBUTES,
  PERSON_FILTERS,
  type PersonFilters,
  PERSON_KEYS,
} from './attributes/attributes.js';
export type { CompanyQuery, PeopleQuery } from './directory-queries.js';
export { companyMatches, isInRanges, personMatches, type VouchedFilters } from './directory-match.js';
export type { CompanyRecord, EducationRecord, ExperienceRecord, PersonRecord } from './directory-record.js';
export { companyValues, nameOf, personValues } from './directory-values.js';
export type {
  CompanyDirectory,
  CompanyKey,
  DirectoryAnswer,
  DirectorySearchOptions,
  PeopleDirectory,
  PersonKey,
} from './directory.port.js';
export { CITIES, type City } from './vocabulary/city.catalogue.js';
export { TECHNOLOGIES, VENTURE_STAGE_IDS } from './vocabulary/company-trait.catalogue.js';
export { COUNTRIES, type Country } from './vocabulary/country.catalogue.js';
export { industriesNamed, industryAt, industryNameOf, industryOf } from './vocabulary/industry-index.js';
export { NEAREST_WORDS } from './vocabulary/nearest-words.js';
export { INDUSTRIES, type Industry, INDUSTRY_GROUPS } from './vocabulary/industry.catalogue.js';
export { citiesNamed, countryNamed, roleNamed } from './vocabulary/named.js';
export { PhraseIndex } from './vocabulary/phrase-index.js';
export { foldText, foldWord, foldWords, singularOf } from './vocabulary/phrase.js';
export {
  ownWordId,
  ownWordOf,
  OwnVocabulary,
  ownVocabulary,
  type OwnWordRow,
  withOwnVocabulary,
} from './vocabulary/own-vocabulary.js';
export { placeAt, placeNamed, placeNameOf, placeOf, stateByCode } from './vocabulary/place-index.js';
export {
  addressPartsOf,
  countryCodesOf,
  countryPlace,
  isIn,
  type Location,
  type Place,
  placeContains,
  UNKNOWN_COUNTRY,
  regionPlace,
} from './vocabulary/place.js';
export { REGIONS } from './vocabulary/region.catalogue.js';
export {
  departmentAt,
  departmentName,
  departmentNamed,
  memberOf,
  roleAt,
  seniorityNamed,
} from './vocabulary/role-index.js';
export { roleOfTitle } from './vocabulary/role-of-title.js';
export {
  type DepartmentId,
  DEPARTMENTS,
  type Role,
  SENIORITIES,
  type SeniorityId,
} from './vocabulary/role.catalogue.js';
export { traitAt, traitIds, type TraitKind } from './vocabulary/trait-index.js';
