import { isUsableKey, type ColumnKind, type JsonSchemaFault, type JsonSchemaNode } from '@quarry/dto';
import type { Entity } from '../run-plan.js';
import { ROWS_MAX, type ContractColumn, type ContractTable } from './contract-table.js';

type Json = JsonSchemaNode;

/** Key of the table of an output that is itself an array of objects. */
const WHOLE_KEY = 'items';

/**
 * Returns the tables that a JSON Schema requests. An object without lists of objects is a table of one row. Else a top-level
 * property that is an array of objects is a table with the property's name as its key, and an object with the name of a row is
 * one of one row.
 */
export function tablesOfSchema(schema: Json): ContractTable[] {
  const whole = wholeRow(schema);
  if (whole) return [whole];
  const lists = typesOf(schema).includes('array') ? [[WHOLE_KEY, schema] as const] : propertiesOf(schema);
  return lists.flatMap(([name, property]): ContractTable[] => {
    if (!isRecord(property)) return [];
    const isList = typesOf(property).includes('array');
    const row = isList ? property.items : property;
    if (!isRecord(row) || (isList ? !isOfObjects(row) : !ROW_NAMES.test(name) || !hasProperties(row)))
      return [];
    const { title, maxItems } = property;
    const named = { key: name, name: typeof title === 'string' ? title : null };
    const staffed = isList ? peopleOfCompanies(name, row) : null;
    if (staffed) {
      const limits = { companiesMax: rowsMax(maxItems), peopleMax: rowsMax(staffed.people.maxItems) };
      const columns = [
        ...schemaColumns(staffed.person, 'person'),
        ...schemaColumns(staffed.company, 'person', [COMPANY]),
      ];
      return [
        { ...named, entity: 'person', maxRows: null, byCompany: limits, columns: uniqueColumns(columns) },
      ];
    }
    return [tableOfRows(named, entityOfKey(name), row, isList ? rowsMax(maxItems) : 1)];
  });
}

/** @param maxRows of the list; null for any number */
function tableOfRows(
  named: Pick<ContractTable, 'key' | 'name'>,
  entity: Entity | null,
  row: Json,
  maxRows: number | null,
): ContractTable {
  const contact = contactOf(row, entity);
  const columns = uniqueColumns(contact?.columns ?? schemaColumns(row, entity));
  if (contact === null || entity === 'person') return { ...named, entity, maxRows, columns };
  const byCompany = { companiesMax: maxRows, peopleMax: 1, contact: { role: contact.role } };
  return { ...named, entity: 'person', maxRows: null, byCompany, columns };
}

/** Columns of the company begin with it where rows are its people. */
const COMPANY = 'company';
/** Names of a list in a company that has its people. One called “founders” or “executives” would say more about them. */
const PEOPLE =
  /^(?:people|persons|contacts?|leads|prospects|employees|staff|team(?:_?members)?|key_?(?:people|contacts)|decision_?makers)$/i;

/** Schema of a company that lists its people, in parts. */
export interface PeopleOfCompanies {
  /** Name of the list of people in the company. */
  readonly list: string;
  readonly people: Json;
  readonly person: Json;
  /** The company without its people. */
  readonly company: Json;
}

/**
 * Splits the schema of a company that has one list of its people: the rows of its table are the people, with the columns of
 * their company.
 * @param name of the list that has the companies
 * @returns null for any other schema
 */
export function peopleOfCompanies(name: string, row: Json): PeopleOfCompanies | null {
  if (entityOfKey(name) === 'person') return null;
  const lists = propertiesOf(row).filter(
    (each): each is [string, Json & { items: Json }] =>
      PEOPLE.test(each[0]) && isRecord(each[1]) && isListOfObjects(each[1]),
  );
  const [[list, people] = ['', null], ...others] = lists;
  if (!people || others.length > 0 || !hasProperties(people.items)) return null;
  const properties = Object.fromEntries(propertiesOf(row).filter(([key]) => key !== list));
  const required = Array.isArray(row.required) ? row.required.filter((key) => key !== list) : [];
  return { list, people, person: people.items, company: { ...row, properties, required } };
}

/** Names of a person in the row of a company, first those that say nothing about the person. */
const CONTACT = /^(?:(?:primary_|main_|key_)?contact(?:_person)?|decision_maker|person|lead|prospect)$/;
const OFFICE =
  /^(?:owner|(?:co_?)?founder|c[efmort]o|cis?o|chro|president|(?:managing_)?director|(?:head|vp|chief)_[a-z_]+)$/;
const PERSON_NAME = /^(?:full_|first_)?name$/;

/**
 * Finds the one person of a company in its row: an object (`ceo: {name, email}`), or values that begin with the same word
 * (`ceo_name`, `ceo_email`). In the row of a person, a contact without another name is that person.
 * @returns the person's role, null for any, and the columns of a table whose rows are these people; null for any other schema
 */
function contactOf(
  row: Json,
  entity: Entity | null,
): { role: string | null; columns: ContractColumn[] } | null {
  const properties = propertiesOf(row).map(([key, property]) => ({ key, property, words: wordsOfKey(key) }));
  const [person, ...others] = new Set(
    properties.flatMap(({ property, words }): string[] => {
      const isObject = isRecord(property) && hasProperties(property);
      const names = isObject ? Object.keys(property.properties as object).map(wordsOfKey) : [];
      const [, prefix = ''] = /^(.+?)_(?:full_|first_)?name$/.exec(words) ?? [];
      const found = isObject ? (names.some((each) => PERSON_NAME.test(each)) ? words : '') : prefix;
      return CONTACT.test(found) || (entity !== 'person' && OFFICE.test(found)) ? [found] : [];
    }),
  );
  if (person === undefined || others.length > 0) return null;
  const isNamed = properties.some(({ words }) => PERSON_NAME.test(words));
  // A row with a company and a name or a contact may be a person: the prompt decides.
  const isOpen = entity === null && properties.some(({ key }) => COMPANY_OBJECTS.test(key));
  if (isOpen ? isNamed || CONTACT.test(person) : isNamed && entity === 'person') return null;
  const required: unknown[] = Array.isArray(row.required) ? row.required : [];
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
    if (isOfPerson && words !== person) {
      const name = words.slice(person.length + 1);
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

/** Key of the table of an output that is itself a row. */
const ROW_KEY = 'row';
/** Top-level numbers and texts that say something about the whole output. Source: docs/contract.md#3-runs. */
const COUNTS =
  /^(?:total|(?:(?:row|result|item|match)_?)?count|(?:total|num(?:ber_of)?)_(?:rows|results|items|matches|records|companies|people|contacts|leads))$/i;
const REMARKS =
  /^(?:summary|message|text|answer|result|response|reply|output|report|notes?|comment|explanation|version)$/i;

/** Returns the table of a schema that describes one row, with its values at the top; null for any other schema. */
function wholeRow(schema: Json): ContractTable | null {
  if (typesOf(schema).includes('array')) return null;
  const properties = propertiesOf(schema).filter((each): each is [string, Json] => isRecord(each[1]));
  if (properties.some(([, each]) => isListOfObjects(each))) return null;
  const values = properties.filter(
    ([name, each]) =>
      !('const' in each) && !COUNTS.test(name) && !REMARKS.test(name) && name !== '' && isUsableKey(name),
  );
  const isSingle = ([name, each]: [string, Json]): boolean => !(ROW_NAMES.test(name) && hasProperties(each));
  if (!values.some((each) => !typesOf(each[1]).includes('array') && isSingle(each))) return null;
  const row = { ...schema, properties: Object.fromEntries(values) };
  // Only this one may cost something.
  return tableOfRows({ key: ROW_KEY, name: null }, null, row, 1);
}

/** Names of a top-level object that is a row. */
const ROW_NAMES = /^(?:company|startup|firm|business|account|person|lead|prospect)$/i;

function rowsMax(maxItems: unknown): number | null {
  return typeof maxItems === 'number' ? Math.min(Math.max(maxItems, 1), ROWS_MAX) : null;
}

function isListOfObjects(schema: Json): boolean {
  return typesOf(schema).includes('array') && isRecord(schema.items) && isOfObjects(schema.items);
}

/** Returns whether items are objects; a schema may omit their type. */
function isOfObjects(items: Json): boolean {
  return typesOf(items).includes('object') || hasProperties(items);
}

/** Returns whether a schema is an object whose properties it names. */
function hasProperties({ type, properties }: Json): boolean {
  const isObject = type === undefined || [type].flat().includes('object');
  return isObject && isRecord(properties) && Object.keys(properties).length > 0;
}

/** @returns the fault of a whole output that no prompt can fill: an enum, a boolean or null */
export function outputFaults(schema: Json): JsonSchemaFault[] {
  if ('const' in schema) return [];
  if (schema.enum !== undefined)
    return [{ path: ['enum'], message: 'is not supported for the whole output: nothing can fill it' }];
  const isUnfilled = typesOf(schema).every((type) => type === 'boolean' || type === 'null');
  const message = 'must be object, array, string, number or integer for the whole output';
  return isUnfilled ? [{ path: ['type'], message }] : [];
}

/** @returns the faults of properties of a schema that would be keys of tables or columns, and cannot be */
export function nameFaults(tables: readonly ContractTable[]): JsonSchemaFault[] {
  return tables
    .flatMap(({ key: name, columns }) => [name, ...columns.map((each) => each.key)])
    .filter((name) => name === '' || !isUsableKey(name))
    .map((name) => ({
      path: [],
      message: `must not have ${JSON.stringify(name)} as the key of a table or a column: no link can name it`,
    }));
}

/**
 * @returns the faults of objects at the top that nothing fills: no output would meet the schema, whatever its tables have cost
 */
export function unfilledFaults(schema: Json, tables: readonly ContractTable[]): JsonSchemaFault[] {
  const isTable = new Set(tables.map((table) => table.key));
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return propertiesOf(schema).flatMap(([name, property]): JsonSchemaFault[] => {
    if (isTable.has(name) || !isRecord(property) || !hasProperties(property)) return [];
    const path = ['properties', name];
    const hasList = propertiesOf(property).some(([, each]) => isRecord(each) && isListOfObjects(each));
    if (hasList)
      return [{ path, message: 'must not contain a list of objects: lists of rows are at the top' }];
    const needs = required.includes(name) && !typesOf(property).includes('null') ? property.required : [];
    if (tables.length === 0 || isTable.has(ROW_KEY) || !Array.isArray(needs) || needs.length === 0) return [];
    const message =
      'must not require properties: only lists of objects and an object called company or person are filled';
    return [{ path, message }];
  });
}

/**
 * Returns the columns of a row. Properties of an object in it are columns of their own: `company_domain` for `domain` of
 * `company`.
 * @param within names of the objects around the properties
 */
function schemaColumns(
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
function propertiesOf({ properties, required }: Json): Array<[string, unknown]> {
  const names: unknown[] = Array.isArray(required) ? required : [];
  const placeOf = ([name]: [string, unknown]): number => names.indexOf(name) + 1 || names.length + 1;
  return Object.entries(isRecord(properties) ? properties : {}).sort((a, b) => placeOf(a) - placeOf(b));
}

/** Returns whether a row without a value meets the schema of a property. */
function acceptsNull({ type, enum: options, ...schema }: Json): boolean {
  if ('const' in schema) return true;
  return (
    (type === undefined || typesOf({ type }).includes('null')) &&
    (!Array.isArray(options) || options.includes(null))
  );
}

function uniqueColumns(columns: ContractColumn[]): ContractColumn[] {
  return columns.filter(({ key: name }, at) => columns.findIndex((each) => each.key === name) === at);
}

const COMPANY_OBJECTS = /^(?:compan(?:y|ies)|employer|organi[sz]ation|firm|business|account|startup)s?$/i;
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

function typesOf({ type }: Json): unknown[] {
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

function entityOfKey(name: string): Entity | null {
  if (/compan|firm|business|startup|account/i.test(name)) return 'company';
  return /people|person|contact|lead|prospect/i.test(name) ? 'person' : null;
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
