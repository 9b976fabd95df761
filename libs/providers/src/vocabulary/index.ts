export {
  BUSINESS_MODELS,
  FUNDING_STAGES,
  OWNERSHIPS,
  TECHNOLOGIES,
  VENTURE_STAGE_IDS,
  type Trait,
} from './company-trait.catalogue.js';
export { CITIES, type City } from './city.catalogue.js';
export { COUNTRIES, OTHER_COUNTRIES, type Country } from './country.catalogue.js';
export { INDUSTRIES, INDUSTRY_GROUPS, type Industry, type IndustryGroup } from './industry.catalogue.js';
export { industryAt, industryIdOf, industryNamed, industryOf, type IndustryTerm } from './industry-index.js';
export { foldText, foldWord, foldWords, pluralOf, singularOf } from './phrase.js';
export { PhraseIndex, type PhraseMatch } from './phrase-index.js';
export {
  addressPartsOf,
  cityPlace,
  countryCodesOf,
  countryOf,
  countryPlace,
  isIn,
  placeContains,
  regionPlace,
  statePlace,
  type Location,
  type Place,
} from './place.js';
export { placeAt, placeNamed, stateByCode, type PlaceTerm } from './place-index.js';
export { REGIONS, type Region } from './region.catalogue.js';
export {
  DEPARTMENTS,
  SENIORITIES,
  type Department,
  type DepartmentId,
  type Role,
  type SeniorityId,
} from './role.catalogue.js';
export { LEVEL_WORDS, TITLES } from './role-title.catalogue.js';
export { departmentAt, departmentName, memberOf, roleAt, seniorityName } from './role-index.js';
export { traitAt, traitName, type TraitKind } from './trait-index.js';
export { US_STATES, type UsState } from './us-state.catalogue.js';
