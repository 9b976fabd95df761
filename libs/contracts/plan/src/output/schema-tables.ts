import { isUsableKey, type JsonSchemaFault, type JsonSchemaNode } from '@quarry/dto';
import type { Entity } from '../run-plan.js';
import { contactOf } from './company-contact.js';
import { ROWS_MAX, type ContractColumn, type ContractTable } from './contract-table.js';
import { COMPANY, hasProperties, isRecord, propertiesOf, schemaColumns, typesOf } from './schema-columns.js';

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

function uniqueColumns(columns: ContractColumn[]): ContractColumn[] {
  return columns.filter(({ key: name }, at) => columns.findIndex((each) => each.key === name) === at);
}

function entityOfKey(name: string): Entity | null {
  if (/compan|firm|business|startup|account/i.test(name)) return 'company';
  return /people|person|contact|lead|prospect/i.test(name) ? 'person' : null;
}
