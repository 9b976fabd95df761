import {
  allowsNull,
  cellText,
  isOfProperties,
  typesOfSchema,
  type ColumnJson,
  type OutputSchema,
} from '@quarry/dto';
import { countryNamed, foldWords } from '@quarry/vocabulary';

/** Returns an item of a list: an object of the row, or in a list of single values that of one column. */
export function itemOf(
  item: OutputSchema,
  row: Record<string, unknown>,
  column: ColumnJson | undefined,
): unknown {
  if (typesOfSchema(item).includes('object') || isOfProperties(item)) return projectRow(item, row);
  return item.type ? coerceValue(item, (column && row[column.key]) ?? null) : row;
}

/**
 * Picks the properties of the item schema from a row, converted to the required types.
 * @param within the columns of an object in the row begin with it
 */
export function projectRow(
  item: OutputSchema,
  row: Record<string, unknown>,
  within = '',
): Record<string, unknown> {
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
  schema: OutputSchema,
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

function coerceValue(schema: OutputSchema, value: unknown): unknown {
  // A different value stays, and the row is left out: a constant must not hide what was found.
  if (value === null) return schema.const ?? null;
  if (Array.isArray(schema.enum) && typeof value === 'string') return optionFor(value, schema.enum) ?? value;
  if (Array.isArray(schema.enum) && typeof value === 'number') return rangeOf(value, schema.enum) ?? value;
  if (Array.isArray(value) && value.some(isObject)) return coerceObjects(schema, value);
  const types = typesOfSchema(schema);
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

/** Converts a list of experiences or educations: to objects with the properties of the schema, to texts, or to one text. */
function coerceObjects(schema: OutputSchema, items: readonly unknown[]): unknown {
  const [first] = items.filter(isObject);
  const kind = first && ('school' in first || 'degree' in first) ? 'educations' : 'experiences';
  if (!typesOfSchema(schema).includes('array'))
    return typesOfSchema(schema).includes('string') ? cellText(kind, items) : items;
  const { items: item = {} } = schema;
  return items.map((each) => {
    if (isObject(each) && isOfProperties(item)) return projectRow(item, each);
    return isObject(each) && typesOfSchema(item).includes('string') ? cellText(kind, [each]) : each;
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
