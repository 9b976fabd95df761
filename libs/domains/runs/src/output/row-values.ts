import type { ColumnJson } from '@quarry/dto';
import { countryNamed, foldWords } from '@quarry/vocabulary';

/** JSON Schema of an output or a part of it, with the keywords that its values are built by. */
export type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  maxItems?: number;
  uniqueItems?: boolean;
};

/** Returns an item of a list: an object of the row, or in a list of single values that of one column. */
export function itemOf(item: Schema, row: Record<string, unknown>, column: ColumnJson | undefined): unknown {
  if (typesOf(item).includes('object') || isOfProperties(item)) return projectRow(item, row);
  return item.type ? coerceValue(item, (column && row[column.key]) ?? null) : row;
}

/**
 * @returns the column that a property names whose value is a list of single values: “domains” is a list of `domain`, and
 *   where no column has this name, of `company_domain`, as “names” is of `full_name` and “emails” of `work_email`
 */
export function columnOfList(key: string, schema: Schema, columns: ColumnJson[]): ColumnJson | undefined {
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
export function projectRow(item: Schema, row: Record<string, unknown>, within = ''): Record<string, unknown> {
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
export function valueOfRow(
  schema: Schema,
  row: Record<string, unknown>,
  key: string,
  isRequired = false,
): unknown {
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
export function isOfProperties(schema: Schema): boolean {
  const types = typesOf(schema);
  return (types.includes('object') || types.length === 0) && Object.keys(schema.properties ?? {}).length > 0;
}

function coerceValue(schema: Schema, value: unknown): unknown {
  // A different value stays, and the row is left out: a constant must not hide what was found.
  if (value === null) return schema.const ?? null;
  if (Array.isArray(schema.enum) && typeof value === 'string') return optionFor(value, schema.enum) ?? value;
  if (Array.isArray(schema.enum) && typeof value === 'number') return rangeOf(value, schema.enum) ?? value;
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

/** @returns the option that is a range with a number in it: “51-200”, “1,001 - 5,000”, “10001+”, “5k+” */
function rangeOf(value: number, options: readonly unknown[]): unknown {
  if (options.includes(value)) return value;
  return options.find((option) => {
    const [, min, minK, max, maxK, open] =
      (typeof option === 'string' && RANGE.exec(option.replaceAll(/[\s,]/g, ''))) || [];
    if (min === undefined || (max === undefined) === (open === undefined)) return false;
    return value >= amountOf(min, minK) && value <= (max === undefined ? Infinity : amountOf(max, maxK));
  });
}

const RANGE = /^(\d+)(k?)(?:(?:-|–|to)(\d+)(k?)|(\+))(?:employees|people|staff)?$/i;

function amountOf(digits: string, thousands: string | undefined): number {
  return Number(digits) * (thousands ? 1_000 : 1);
}

export function typesOf(schema: Schema): string[] {
  return [schema.type].flat().filter((type) => typeof type === 'string');
}

export function allowsNull(schema: Schema | undefined): boolean {
  return schema !== undefined && (typesOf(schema).includes('null') || typesOf(schema).length === 0);
}
