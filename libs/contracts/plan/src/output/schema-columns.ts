import type { ColumnKind, JsonSchemaNode } from '@quarry/dto';
import type { Entity } from '../run-plan.js';
import type { ContractColumn } from './contract-table.js';

type Json = JsonSchemaNode;

/** Columns of the company begin with it where rows are its people. */
export const COMPANY = 'company';

/**
 * Returns the columns of a row. Properties of an object in it are columns of their own: `company_domain` for `domain` of
 * `company`.
 * @param within names of the objects around the properties
 */
export function schemaColumns(
  schema: Json,
  entity: Entity | null,
  within: readonly string[] = [],
  isRequired = true,
): ContractColumn[] {
  const names = new Set(isRequired && Array.isArray(schema.required) ? schema.required : []);
  return propertiesOf(schema).flatMap(([name, property]) =>
    isRecord(property) && hasProperties(property)
      ? schemaColumns(property, entity, [...within, name], names.has(name))
      : [
          {
            key: [...within, name].join('_'),
            name: nestedName(name, within, entity),
            kind: isRecord(property) ? kindOfValue(property, within, entity) : null,
            required: names.has(name) && !(isRecord(property) && acceptsNull(property)),
            qualification: {},
          },
        ],
  );
}

/** Returns properties in the order of `required`: a stored schema keeps the order of lists, and not that of properties. */
export function propertiesOf({ properties, required }: Json): Array<[string, unknown]> {
  const names: unknown[] = Array.isArray(required) ? required : [];
  const placeOf = ([name]: [string, unknown]): number => names.indexOf(name) + 1 || names.length + 1;
  return Object.entries(isRecord(properties) ? properties : {}).sort((a, b) => placeOf(a) - placeOf(b));
}

/** Returns whether a row without a value meets the schema of a property. */
export function acceptsNull({ type, enum: options, ...schema }: Json): boolean {
  if ('const' in schema) return true;
  return (
    (type === undefined || typesOf({ type }).includes('null')) &&
    (!Array.isArray(options) || options.includes(null))
  );
}

export const COMPANY_OBJECTS =
  /^(?:compan(?:y|ies)|employer|organi[sz]ation|firm|business|account|startup)s?$/i;
const PERSON_OBJECTS = /^(?:person|contact|lead|prospect|profile)$/i;
/** Names of objects that only group the values of a row. */
const GROUPS =
  /^(?:location|address|headquarters|hq|contact_?(?:info|details|data)|details|socials?|social_?(?:media|links|profiles)|links|info|firmographics)$/i;

/**
 * Returns the name by which the value of a property in objects is known: “company domain” for `domain` of `employer`, and
 * “city” for that of `location`. Null for objects that could be something else: `name` of `ceo` is not that of the row.
 */
function nestedName(name: string, objects: readonly string[], entity: Entity | null): string | null {
  const isOfCompany = objects.some((object) => COMPANY_OBJECTS.test(object));
  const known = entity === 'company' ? [COMPANY_OBJECTS, GROUPS] : [COMPANY_OBJECTS, PERSON_OBJECTS, GROUPS];
  if (objects.length === 0 || !objects.every((object) => known.some((names) => names.test(object))))
    return null;
  if (GROUPS.test(objects.at(-1)!) && /name|title/i.test(name)) return null;
  if (isOfCompany) return entity === 'company' ? name : `company ${name.replace(/^company_?(?=.)/i, '')}`;
  // Where the prompt decides what a row is, the object may be a person and the row a company.
  const isOfPerson = entity === null && objects.some((object) => PERSON_OBJECTS.test(object));
  return isOfPerson ? `person ${name}` : name;
}

/** Returns the kind of a value in a row. The e-mail address of a company has none, which would be filled by its person's. */
function kindOfValue(schema: Json, within: readonly string[], entity: Entity | null): ColumnKind | null {
  const kind = kindOfSchema(schema);
  const isOfCompany = entity !== 'company' && within.some((object) => COMPANY_OBJECTS.test(object));
  return isOfCompany && kind === 'email' ? null : kind;
}

export function typesOf({ type }: Json): unknown[] {
  return [type].flat();
}

function kindOfSchema(schema: Json): ColumnKind | null {
  const { format } = schema;
  if (format === 'email') return 'email';
  if (format === 'uri') return 'url';
  if (format === 'date') return 'date';
  const [type, ...others] = typesOf(schema).filter((each) => each !== 'null');
  if (others.length > 0) return null;
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'boolean';
  return type === 'array' ? 'list' : null;
}

/** Returns whether a schema is an object whose properties it names. */
export function hasProperties({ type, properties }: Json): boolean {
  const isObject = type === undefined || [type].flat().includes('object');
  return isObject && isRecord(properties) && Object.keys(properties).length > 0;
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
