import type { JsonSchemaNode } from '@quarry/dto';
import type { Entity } from '../run-plan.js';
import type { ContractColumn } from './contract-table.js';
import {
  acceptsNull,
  COMPANY,
  COMPANY_OBJECTS,
  hasProperties,
  isRecord,
  propertiesOf,
  schemaColumns,
  typesOf,
} from './schema-columns.js';

type Json = JsonSchemaNode;

/** Names of a person in the row of a company, first those that say nothing about the person. */
const CONTACT = /^(?:(?:primary_|main_|key_)?contact(?:_person)?|decision_maker|person|lead|prospect)$/;
const OFFICE =
  /^(?:owner|(?:co_?)?founder|c[efmort]o|cis?o|chro|president|(?:managing_)?director|(?:head|vp|chief)_[a-z_]+|[a-z_]+_(?:head|director|manager|lead))$/;
const PERSON_NAME = /^(?:full_|first_)?name$/;

/**
 * Finds the one person of a company in its row: an object (`ceo: {name, email}`), values that begin with the same word
 * (`ceo_name`, `ceo_email`), or a required text (`ceo`). In the row of a person, a contact without another name is that person.
 * @returns the person's role, null for any, and the columns of a table whose rows are these people; null for any other schema
 */
export function contactOf(
  row: Json,
  entity: Entity | null,
): { role: string | null; columns: ContractColumn[] } | null {
  const properties = propertiesOf(row).map(([key, property]) => ({ key, property, words: wordsOfKey(key) }));
  const required: unknown[] = Array.isArray(row.required) ? row.required : [];
  const isNeeded = (key: string, property: unknown): boolean =>
    required.includes(key) &&
    isRecord(property) &&
    typesOf(property).includes('string') &&
    !acceptsNull(property);
  const [person, ...others] = new Set(
    properties.flatMap(({ key, property, words }): string[] => {
      const isObject = isRecord(property) && hasProperties(property);
      const names = isObject ? Object.keys(property.properties as object).map(wordsOfKey) : [];
      const [, prefix = ''] = /^(.+?)_(?:full_|first_)?name$/.exec(words) ?? [];
      const found = isObject ? (names.some((each) => PERSON_NAME.test(each)) ? words : '') : prefix;
      if (CONTACT.test(found) || (entity !== 'person' && OFFICE.test(found))) return [found];
      // A row without the name of an officer is of use, unless it is required.
      return entity !== 'person' && isNeeded(key, property) && OFFICE.test(words) ? [words] : [];
    }),
  );
  if (person === undefined || others.length > 0) return null;
  const isNamed = properties.some(({ words }) => PERSON_NAME.test(words));
  // A row with a company and a name or a contact may be a person: the prompt decides.
  const isOpen = entity === null && properties.some(({ key }) => COMPANY_OBJECTS.test(key));
  if (isOpen ? isNamed || CONTACT.test(person) : isNamed && entity === 'person') return null;
  const partOf = (name: string, property: unknown, isRequired: boolean): Json => ({
    properties: { [name]: property },
    required: isRequired ? [name] : [],
  });
  const columns = properties.flatMap(({ key, property, words }): ContractColumn[] => {
    const isRequired = required.includes(key);
    const isOfPerson = words === person || words.startsWith(`${person}_`);
    if (isOfPerson && isRecord(property) && hasProperties(property))
      return schemaColumns(property, 'person', [], isRequired).map((column) => ({
        ...spokenColumn(column, column.name ?? column.key),
        key: `${key}_${column.key}`,
      }));
    if (isOfPerson && (words !== person || isNeeded(key, property))) {
      const name = words.slice(person.length + 1) || 'name';
      return schemaColumns(partOf(name, property, isRequired), 'person').map((column) => ({
        ...spokenColumn(column, name),
        key,
      }));
    }
    const own = partOf(key, property, isRequired);
    if (entity === 'person') return schemaColumns(own, entity);
    return schemaColumns(own, 'person', [COMPANY]).map((column) => ({
      ...spokenColumn(column, column.name),
      key: column.key.slice(COMPANY.length + 1),
    }));
  });
  return { role: CONTACT.test(person) ? null : person.replaceAll('_', ' '), columns };
}

function spokenColumn(column: ContractColumn, spoken: string | null): ContractColumn {
  return spoken === null ? column : { ...column, name: null, spoken };
}

/** Returns a key in small letters, with its words joined by "_": `ceo_email` for `ceoEmail`. */
function wordsOfKey(key: string): string {
  return key.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
}
