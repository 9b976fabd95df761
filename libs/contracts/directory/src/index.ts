export { attributeAt, attributeNamed, companyAttributeAt } from './attributes/attribute-index.js';
export type { Direction, FilterType, FilterValues, NumberRange } from './attributes/attribute.js';
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
export { companyMatches, isInRanges, nameKeyOf, personMatches } from './directory-match.js';
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
