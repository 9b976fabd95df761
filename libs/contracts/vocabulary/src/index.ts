export { CITIES, type City } from './city.catalogue.js';
export { TECHNOLOGIES, VENTURE_STAGE_IDS } from './company-trait.catalogue.js';
export { COUNTRIES, type Country } from './country.catalogue.js';
export { industriesNamed, industryAt, industryNameOf, industryOf } from './industry-index.js';
export { NEAREST_WORDS } from './nearest-words.js';
export { INDUSTRIES, type Industry, INDUSTRY_GROUPS } from './industry.catalogue.js';
export { citiesNamed, countryNamed, roleNamed } from './named.js';
export { PhraseIndex, type PhraseMatch } from './phrase-index.js';
export { foldText, foldWord, foldWords, singularOf } from './phrase.js';
export {
  ownWordId,
  ownWordOf,
  OwnVocabulary,
  ownVocabulary,
  type OwnWordRow,
  withOwnVocabulary,
} from './own-vocabulary.js';
export { placeAt, placeNamed, placeNameOf, placeOf, stateByCode } from './place-index.js';
export {
  addressPartsOf,
  countryCodesOf,
  countryPlace,
  isIn,
  type Place,
  placeContains,
  UNKNOWN_COUNTRY,
} from './place.js';
export { REGIONS } from './region.catalogue.js';
export {
  departmentAt,
  departmentName,
  departmentNamed,
  seniorityName,
  memberOf,
  roleAt,
  seniorityNamed,
} from './role-index.js';
export { roleOfTitle } from './role-of-title.js';
export {
  type DepartmentId,
  DEPARTMENTS,
  type Role,
  SENIORITIES,
  type SeniorityId,
} from './role.catalogue.js';
export { wordTable } from './word-table.js';
export { traitAt, traitIds, traitName, type TraitKind } from './trait-index.js';
