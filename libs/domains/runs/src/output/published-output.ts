import { allowsNull, isOfProperties, typesOfSchema, type ColumnJson, type OutputSchema } from '@quarry/dto';
import { valueOfRow, type OutputContract } from '@quarry/plan';
import { ListedRows, type LeftOutRows, type PublishedTable } from './listed-rows.js';
import { repairValue, schemaFault } from './schema-validation.js';

export interface OutputSources {
  /** Returns the final text of the run, which mentions the rows left out. */
  messageOf: (leftOut: readonly LeftOutRows[]) => string;
  rowsOf: (tableId: string) => Promise<Array<Record<string, unknown>>>;
}

export type OutputOutcome =
  { kind: 'valid'; value: unknown; leftOut: LeftOutRows[] } | { kind: 'invalid'; reason: string };

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

async function instanceOf(
  schema: OutputSchema,
  tables: PublishedTable[],
  sources: OutputSources,
): Promise<{ value: unknown; leftOut: LeftOutRows[] }> {
  const rows = new ListedRows(sources.rowsOf);
  if (typesOfSchema(schema).includes('array')) {
    const value = tables[0] ? await rows.itemsOf(tables[0], schema) : [];
    return { value, leftOut: rows.leftOut };
  }
  const properties = Object.entries(schema.properties ?? {});
  const lists = new Map<string, unknown>();
  for (const [key, property] of properties) {
    const table = tables.find((each) => each.key === key);
    const isList = typesOfSchema(property).includes('array');
    if (!table || !(isList || isOfProperties(property))) continue;
    const items = await rows.itemsOf(table, isList ? property : { items: property });
    lists.set(key, isList ? items : (items[0] ?? scalarOf(property, 0, '')));
  }
  // An object without a list describes one row, if its properties are columns.
  const [table] = lists.size === 0 ? tables : [];
  const isOfRow = ([key, property]: [string, OutputSchema]): boolean =>
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
    'const' in schema || typesOfSchema(schema).some((type) => ['string', 'number', 'integer'].includes(type));
  return { value: isAlone ? scalarOf(schema, rowCount, message) : Object.fromEntries(given), leftOut };
}

/** Words in names of numbers and texts beside the tables that say something about the whole output. */
const ABOUT_OUTPUT =
  /(?:^|_)(?:counts?|total|num|number|size|length|found|match(?:es)?|rows?|results?|items?|summary|message|text|answer|reply|output|report|notes?|comments?|explanation|description|overview|version)(?:_|$)/i;

/** Returns whether a number or a text says nothing about the output, by its name, and need not be filled. */
function isLeftOpen(schema: OutputSchema, key: string): boolean {
  const property = schema.properties![key]!;
  const isSingle = typesOfSchema(property).some((type) => ['number', 'integer', 'string'].includes(type));
  const isFree = !schema.required?.includes(key) || allowsNull(property);
  return (
    isSingle &&
    isFree &&
    !('const' in property) &&
    !ABOUT_OUTPUT.test(key.replace(/([a-z])([A-Z])/g, '$1_$2'))
  );
}

function isOptional(schema: OutputSchema, key: string): boolean {
  return !schema.required?.includes(key) && !allowsNull(schema.properties?.[key]);
}

/** Returns a top-level value beside the tables: a count for a number, the run's text for a string. */
function scalarOf(schema: OutputSchema, rowCount: number, message: string): unknown {
  if ('const' in schema) return schema.const;
  const types = typesOfSchema(schema);
  if (types.includes('integer') || types.includes('number')) return rowCount;
  if (types.includes('string') && !schema.enum && !schema.format) return message;
  if (types.includes('array')) return [];
  if (types.includes('null')) return null;
  return types.includes('object') ? {} : null;
}

/**
 * @returns the column that a property names whose value is a list of single values: “domains” is a list of `domain`, and
 *   where no column has this name, of `company_domain`, as “names” is of `full_name` and “emails” of `work_email`
 */
function columnOfList(key: string, schema: OutputSchema, columns: ColumnJson[]): ColumnJson | undefined {
  const { items } = schema;
  const isOfValues =
    typesOfSchema(schema).includes('array') && items?.type !== undefined && !('const' in schema);
  if (!isOfValues || typesOfSchema(items).some((each) => each === 'object' || each === 'array'))
    return undefined;
  const names = ['', 'full_', 'work_', 'company_'].map((qualifier) => `${qualifier}${key}`);
  return names
    .map((name) => columns.find((column) => `${column.key}s` === name))
    .find((column) => column !== undefined);
}
