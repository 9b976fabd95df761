import type { ColumnJson, FitCounts } from '@quarry/dto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { peopleOfCompanies, type OutputContract, type PeopleOfCompanies } from '@quarry/plan';
import { countryNamed, foldWords } from '@quarry/vocabulary';

/** A frozen table as input of the published output. */
export interface PublishedTable {
  key: string;
  name: string;
  tableId: string;
  columns: ColumnJson[];
  rowCount: number;
  fitCounts: FitCounts;
}

/** Rows of a table that do not meet the item schema of the output. */
export interface LeftOutRows {
  /** Key of the table. */
  key: string;
  /** Number of rows in the output. */
  published: number;
  /** Number of rows in the table. */
  total: number;
  /** Required properties that at least one of these rows lacks. */
  properties: string[];
}

export interface OutputSources {
  /** Returns the final text of the run, which mentions the rows left out. */
  messageOf: (leftOut: readonly LeftOutRows[]) => string;
  rowsOf: (tableId: string) => Promise<Array<Record<string, unknown>>>;
}

export type OutputOutcome =
  { kind: 'valid'; value: unknown; leftOut: LeftOutRows[] } | { kind: 'invalid'; reason: string };

type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  maxItems?: number;
  uniqueItems?: boolean;
};

/**
 * Builds the published output and validates it against the contract. Rows that do not meet the item schema are omitted and not
 * counted. An instance that is still invalid gets one repair.
 */
export async function publishedOutput(
  runId: string,
  contract: OutputContract,
  tables: PublishedTable[],
  sources: OutputSources,
): Promise<OutputOutcome> {
  if (contract.form === 'tables')
    return { kind: 'valid', value: { tables: tables.map((table) => tableEntry(runId, table)) }, leftOut: [] };
  const { value, leftOut } = await instanceOf(contract.schema, tables, sources);
  const first = schemaFault(contract.schema, value);
  if (first === null) return { kind: 'valid', value, leftOut };
  const repaired = repairValue(contract.schema, value);
  const second = schemaFault(contract.schema, repaired);
  return second === null
    ? { kind: 'valid', value: repaired, leftOut }
    : { kind: 'invalid', reason: `The output does not meet the contract: ${second}.` };
}

function tableEntry(runId: string, table: PublishedTable): Record<string, unknown> {
  return {
    key: table.key,
    name: table.name,
    columns: table.columns,
    row_count: table.rowCount,
    fit_counts: table.fitCounts,
    links: { rows: `/v1/runs/${runId}/output/tables/${encodeURIComponent(table.key)}/rows` },
  };
}

/** Rows of the tables of a run that an output has in its lists. */
class ListedRows {
  private readonly read = new Map<string, Promise<Array<Record<string, unknown>>>>();
  /** By key of the table; of several lists of its columns, the longest. */
  private readonly listed = new Map<string, LeftOutRows & { items: number }>();

  constructor(private readonly rowsOfTable: OutputSources['rowsOf']) {}

  /** Returns the rows of a table, which is read once. */
  rowsOf({ tableId }: PublishedTable): Promise<Array<Record<string, unknown>>> {
    const rows = this.read.get(tableId) ?? this.rowsOfTable(tableId);
    this.read.set(tableId, rows);
    return rows;
  }

  /** @returns the items of a list, as many as it may have; of single values, those of the column */
  async itemsOf(
    table: PublishedTable,
    { items: item = {}, maxItems, uniqueItems }: Schema,
    column: ColumnJson | undefined = table.columns[0],
  ): Promise<unknown[]> {
    const rows = await this.rowsOf(table);
    const staffed = peopleOfCompanies(table.key, item) as (PeopleOfCompanies & Staffed) | null;
    const companies = staffed && companiesOf(staffed, rows);
    const made = companies ?? { items: rows.map((row) => itemOf(item, row, column)), properties: [] };
    const { items: admitted, properties } = admitRows(item, made.items);
    const items = (uniqueItems ? uniqueOf(admitted) : admitted).slice(0, maxItems);
    const published = staffed
      ? items.reduce<number>(
          (sum, each) => sum + (each as Record<string, unknown[]>)[staffed.list]!.length,
          0,
        )
      : items.length;
    if (published >= (this.listed.get(table.key)?.published ?? 0))
      this.listed.set(table.key, {
        key: table.key,
        items: items.length,
        published,
        total: rows.length,
        properties: [...new Set([...made.properties, ...properties])],
      });
    return items;
  }

  /** Returns the number of items that the output has of a table; all its rows when no list has them. */
  countOf({ key, rowCount }: PublishedTable): number {
    return this.listed.get(key)?.items ?? rowCount;
  }

  get leftOut(): LeftOutRows[] {
    return [...this.listed.values()].flatMap(({ items: _, ...each }) =>
      each.published < each.total ? each : [],
    );
  }
}

async function instanceOf(
  schema: Schema,
  tables: PublishedTable[],
  sources: OutputSources,
): Promise<{ value: unknown; leftOut: LeftOutRows[] }> {
  const rows = new ListedRows(sources.rowsOf);
  if (typesOf(schema).includes('array')) {
    const value = tables[0] ? await rows.itemsOf(tables[0], schema) : [];
    return { value, leftOut: rows.leftOut };
  }
  const properties = Object.entries(schema.properties ?? {});
  const lists = new Map<string, unknown>();
  for (const [key, property] of properties) {
    const table = tables.find((each) => each.key === key);
    const isList = typesOf(property).includes('array');
    if (!table || !(isList || isOfProperties(property))) continue;
    const items = await rows.itemsOf(table, isList ? property : { items: property });
    lists.set(key, isList ? items : (items[0] ?? scalarOf(property, 0, '')));
  }
  // An object without a list describes one row, if its properties are columns.
  const [table] = lists.size === 0 ? tables : [];
  const isOfRow = ([key, property]: [string, Schema]): boolean =>
    !('const' in property) &&
    (table?.columns.some(
      (column) => column.key === key || (isOfProperties(property) && column.key.startsWith(`${key}_`)),
    ) ??
      false);
  const [row] = table && properties.some(isOfRow) ? await rows.rowsOf(table) : [];
  for (const [key, property] of table && !row ? properties : []) {
    const column = columnOfList(key, property, table!.columns);
    if (column) lists.set(key, await rows.itemsOf(table!, property, column));
  }
  const rowCount = tables.reduce((sum, each) => sum + rows.countOf(each), 0);
  const { leftOut } = rows;
  const message = sources.messageOf(leftOut);
  const entries = properties.map(([key, property]) => {
    if (isOfRow([key, property]))
      return [key, valueOfRow(property, row ?? {}, key, schema.required?.includes(key))] as const;
    if (!lists.has(key) && isLeftOpen(schema, key)) return [key, null] as const;
    return [key, lists.get(key) ?? scalarOf(property, rowCount, message)] as const;
  });
  const given = entries.filter(([key, value]) => value !== null || !isOptional(schema, key));
  const isAlone =
    'const' in schema || typesOf(schema).some((type) => ['string', 'number', 'integer'].includes(type));
  return { value: isAlone ? scalarOf(schema, rowCount, message) : Object.fromEntries(given), leftOut };
}

/** Words in names of numbers and texts beside the tables that say something about the whole output. */
const ABOUT_OUTPUT =
  /(?:^|_)(?:counts?|total|num|number|size|length|found|match(?:es)?|rows?|results?|items?|summary|message|text|answer|reply|output|report|notes?|comments?|explanation|description|overview|version)(?:_|$)/i;

/** Returns whether a number or a text says nothing about the output, by its name, and need not be filled. */
function isLeftOpen(schema: Schema, key: string): boolean {
  const property = schema.properties![key]!;
  const isSingle = typesOf(property).some((type) => ['number', 'integer', 'string'].includes(type));
  const isFree = !schema.required?.includes(key) || allowsNull(property);
  return (
    isSingle &&
    isFree &&
    !('const' in property) &&
    !ABOUT_OUTPUT.test(key.replace(/([a-z])([A-Z])/g, '$1_$2'))
  );
}

function isOptional(schema: Schema, key: string): boolean {
  return !schema.required?.includes(key) && !allowsNull(schema.properties?.[key]);
}

function uniqueOf(items: readonly unknown[]): unknown[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** Splits rows by the item schema. @returns the rows that meet it, and the properties that the others fail */
function admitRows(item: Schema, rows: unknown[]): { items: unknown[]; properties: string[] } {
  const validate = validatorOf(item);
  const lacking = new Set<string>();
  const items = rows.filter((row) => {
    if (validate(row)) return true;
    const { instancePath = '', params } = validate.errors?.[0] ?? {};
    const steps = [
      ...instancePath.split('/').slice(1),
      (params?.missingProperty as string | undefined) ?? [],
    ];
    const property = steps.flat().join('.');
    if (property) lacking.add(property.replaceAll('~1', '/').replaceAll('~0', '~'));
    return false;
  });
  return { items, properties: [...lacking] };
}

/** Parts of the schema of a company that lists its people. */
interface Staffed {
  readonly people: Schema;
  readonly person: Schema;
  readonly company: Schema;
}

/** Lists people in their companies, in the order of their first rows. @returns also the properties that left-out people fail */
function companiesOf(
  { list, people, person, company }: Pick<PeopleOfCompanies, 'list'> & Staffed,
  rows: ReadonlyArray<Record<string, unknown>>,
): { items: unknown[]; properties: string[] } {
  const projected = rows
    .map((row) => ({ of: projectRow(company, row, 'company_'), each: projectRow(person, row) }))
    .filter(({ each }) => Object.values(each).some((value) => value !== null));
  const { items: admitted, properties } = admitRows(
    person,
    projected.map(({ each }) => each),
  );
  const isAdmitted = new Set(admitted);
  const byCompany = Map.groupBy(
    projected.filter(({ each }) => isAdmitted.has(each)),
    ({ of }) => JSON.stringify(of),
  );
  const items = [...byCompany.values()].map((group) => {
    const all = group.map(({ each }) => each);
    return { ...group[0]!.of, [list]: (people.uniqueItems ? uniqueOf(all) : all).slice(0, people.maxItems) };
  });
  return { items, properties };
}

/** Returns an item of a list: an object of the row, or in a list of single values that of one column. */
function itemOf(item: Schema, row: Record<string, unknown>, column: ColumnJson | undefined): unknown {
  if (typesOf(item).includes('object') || isOfProperties(item)) return projectRow(item, row);
  return item.type ? coerceValue(item, (column && row[column.key]) ?? null) : row;
}

/**
 * @returns the column that a property names whose value is a list of single values: “domains” is a list of `domain`, and
 *   where no column has this name, of `company_domain`, as “names” is of `full_name` and “emails” of `work_email`
 */
function columnOfList(key: string, schema: Schema, columns: ColumnJson[]): ColumnJson | undefined {
  const { items } = schema;
  const isOfValues = typesOf(schema).includes('array') && items?.type !== undefined && !('const' in schema);
  if (!isOfValues || typesOf(items).some((each) => each === 'object' || each === 'array')) return undefined;
  const names = ['', 'full_', 'work_', 'company_'].map((qualifier) => `${qualifier}${key}`);
  return names
    .map((name) => columns.find((column) => `${column.key}s` === name))
    .find((column) => column !== undefined);
}

/**
 * Picks the properties of the item schema from a row, converted to the required types.
 * @param within the columns of an object in the row begin with it
 */
function projectRow(item: Schema, row: Record<string, unknown>, within = ''): Record<string, unknown> {
  const entries = Object.entries(item.properties ?? {}).map(
    ([key, property]) =>
      [key, valueOfRow(property, row, within + key, item.required?.includes(key))] as const,
  );
  return Object.fromEntries(
    entries.filter(
      ([key, value]) => value !== null || allowsNull(item.properties?.[key]) || item.required?.includes(key),
    ),
  );
}

/** @param isRequired an object that is not required is absent, and not its whole row, where it lacks a value that it requires */
function valueOfRow(schema: Schema, row: Record<string, unknown>, key: string, isRequired = false): unknown {
  if (Object.hasOwn(row, key) || !isOfProperties(schema))
    return coerceValue(schema, Object.hasOwn(row, key) ? (row[key] ?? null) : null);
  const object = projectRow(schema, row, `${key}_`);
  const isEmpty = Object.values(object).every((value) => value === null);
  const isLacking = Object.entries(object).some(
    ([name, value]) => value === null && !allowsNull(schema.properties?.[name]),
  );
  const isNullable = allowsNull(schema);
  return (isEmpty && isNullable) || (isLacking && (isNullable || !isRequired)) ? null : object;
}

/** Returns whether a schema is an object whose properties it names; it may omit the type. */
function isOfProperties(schema: Schema): boolean {
  const types = typesOf(schema);
  return (types.includes('object') || types.length === 0) && Object.keys(schema.properties ?? {}).length > 0;
}

function coerceValue(schema: Schema, value: unknown): unknown {
  // A different value stays, and the row is left out: a constant must not hide what was found.
  if (value === null) return schema.const ?? null;
  if (Array.isArray(schema.enum) && typeof value === 'string') return optionFor(value, schema.enum) ?? value;
  const types = typesOf(schema);
  if (types.includes(Array.isArray(value) ? 'array' : typeof value)) return value;
  if (types.includes('integer') && Number.isInteger(value)) return value;
  if (types.includes('string') && (typeof value === 'number' || typeof value === 'boolean'))
    return String(value);
  if (types.includes('string') && Array.isArray(value)) return value.map(String).join('; ');
  if (types.includes('array')) return [value];
  if (
    (types.includes('number') || types.includes('integer')) &&
    typeof value === 'string' &&
    value.trim() !== '' &&
    Number.isFinite(Number(value))
  ) {
    return Number(value);
  }
  return value;
}

/** @returns the option that says the same as a value: in other letters (`c_level`, `C-Level`), or as the code of a country */
function optionFor(value: string, options: readonly unknown[]): unknown {
  if (options.includes(value)) return value;
  const words = foldWords(value).join(' ');
  const country = countryNamed(value)?.id;
  return options.find(
    (option) =>
      typeof option === 'string' &&
      ((words !== '' && foldWords(option).join(' ') === words) ||
        (country !== undefined && countryNamed(option)?.id === country)),
  );
}

/** Returns a top-level value beside the tables: a count for a number, the run's text for a string. */
function scalarOf(schema: Schema, rowCount: number, message: string): unknown {
  if ('const' in schema) return schema.const;
  const types = typesOf(schema);
  if (types.includes('integer') || types.includes('number')) return rowCount;
  if (types.includes('string') && !schema.enum && !schema.format) return message;
  if (types.includes('array')) return [];
  if (types.includes('null')) return null;
  return types.includes('object') ? {} : null;
}

function repairValue(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value) && schema.items)
    return value.filter((item) => schemaFault(schema.items!, item) === null);
  if (typeof value !== 'object' || value === null) return value;
  const required = schema.required ?? [];
  const entries = Object.entries(value).map(
    ([key, item]) => [key, repairValue(schema.properties?.[key] ?? {}, item)] as const,
  );
  return Object.fromEntries(
    entries.filter(
      ([key, item]) => required.includes(key) || schemaFault(schema.properties?.[key] ?? {}, item) === null,
    ),
  );
}

/** @returns why a value does not meet a schema; null when it does */
function schemaFault(schema: Schema, value: unknown): string | null {
  const validate = validatorOf(schema);
  if (validate(value)) return null;
  const [fault] = validate.errors ?? [];
  return `${fault?.instancePath || 'the value'} ${fault?.message ?? 'is not valid'}`;
}

function validatorOf(schema: Schema) {
  // A new instance for each schema: schemas come from customers, and a shared cache would grow without limit.
  // It has been read already, more leniently: an unusual annotation must not fail a run at its end.
  // Code that ends at the first error is nested as deeply as there are properties, which the stack has no room for.
  const options = { allErrors: true, loopEnum: 20, code: { optimize: false } };
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, ...options });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

function typesOf(schema: Schema): string[] {
  return [schema.type].flat().filter((type) => typeof type === 'string');
}

function allowsNull(schema: Schema | undefined): boolean {
  return schema !== undefined && (typesOf(schema).includes('null') || typesOf(schema).length === 0);
}
