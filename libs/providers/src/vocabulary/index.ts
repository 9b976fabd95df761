export { TECHNOLOGIES, VENTURE_STAGE_IDS } from './company-trait.catalogue.js';
export { CITIES, type City } from './city.catalogue.js';
export { COUNTRIES, type Country } from './country.catalogue.js';
export { INDUSTRIES, INDUSTRY_GROUPS, type Industry } from './industry.catalogue.js';
export { industriesNamed, industryAt, industryOf } from './industry-index.js';
export { citiesNamed, countryNamed, roleNamed } from './named.js';
export { foldText, foldWord, foldWords, singularOf } from './phrase.js';
export { PhraseIndex } from './phrase-index.js';
export {
  addressPartsOf,
  countryPlace,
  isIn,
  placeContains,
  regionPlace,
  type Location,
  type Place,
} from './place.js';
export { placeAt, placeNamed, stateByCode } from './place-index.js';
export { REGIONS } from './region.catalogue.js';
export {
  DEPARTMENTS,
  SENIORITIES,
  type DepartmentId,
  type Role,
  type SeniorityId,
} from './role.catalogue.js';
export {
  departmentAt,
  departmentName,
  departmentNamed,
  memberOf,
  roleAt,
  seniorityName,
  seniorityNamed,
} from './role-index.js';
export { traitAt, traitName, type TraitKind } from './trait-index.js';
