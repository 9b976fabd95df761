import {
  departmentName,
  seniorityName,
  type DepartmentId,
  type SeniorityId,
  traitName,
} from '@quarry/vocabulary';
import type { NameCatalogue } from './attributes/attribute.js';
import { COMPANY_ATTRIBUTES, PERSON_ATTRIBUTES, type Attribute } from './attributes/attributes.js';
import type { CompanyRecord, PersonRecord } from './directory-record.js';

/** Record as shown in tables and responses. */
export type RecordValues = Readonly<Record<string, unknown>>;

/** @returns every attribute of a company by its key, with names instead of catalogue ids. */
export function companyValues(company: CompanyRecord): RecordValues {
  return Object.fromEntries(
    COMPANY_ATTRIBUTES.map((attribute) => [attribute.key, shownValue(attribute, company[attribute.key])]),
  );
}

/** @returns every attribute of a person by its key; those of the company carry the prefix `company_`. */
export function personValues(person: PersonRecord): RecordValues {
  const values: Record<string, unknown> = {};
  for (const attribute of PERSON_ATTRIBUTES)
    values[attribute.key] = shownValue(attribute, person[attribute.key]);
  for (const [key, attribute] of ATTRIBUTES_OF_EMPLOYERS)
    values[key] = shownValue(attribute, person.company[attribute.key]);
  return values;
}

const ATTRIBUTES_OF_EMPLOYERS = COMPANY_ATTRIBUTES.map(
  (attribute) => [`company_${attribute.key}`, attribute] as const,
);

function shownValue({ named }: Attribute, value: unknown): unknown {
  if (named === null || value == null) return value;
  return Array.isArray(value) ? value.map((id: string) => nameOf(named, id)) : nameOf(named, value as string);
}

/** @returns the display name of an id in a catalogue */
export function nameOf(catalogue: NameCatalogue, id: string): string {
  if (catalogue === 'department') return departmentName(id as DepartmentId);
  return catalogue === 'seniority' ? seniorityName(id as SeniorityId) : traitName(catalogue, id);
}
