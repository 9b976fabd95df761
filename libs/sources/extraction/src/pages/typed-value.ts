import { isWithinLimits, type ValueLimits } from '@quarry/dto';

/** JSON Schema, as far as it is supported here. */
export interface FieldSchema extends ValueLimits {
  type?: string | readonly string[];
  properties?: Readonly<Record<string, FieldSchema>>;
  items?: FieldSchema;
  maxItems?: number;
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
}

/** @returns the types that a schema allows, without null */
export function typesOf({ type, properties, items }: FieldSchema): string[] {
  const types = Array.isArray(type) ? (type as string[]) : type === undefined ? [] : [type as string];
  if (types.length === 0) return properties ? ['object'] : items ? ['array'] : [];
  return types.filter((each) => each !== 'null');
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/,
  uri: /^https?:\/\/\S+$/i,
  url: /^https?:\/\/\S+$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d/,
};

/**
 * @param found value from a page
 * @param isYear true when the field is a year, which can be read from a date
 * @returns the value in the type of the schema; undefined when it cannot be converted without guessing
 */
export function typedValue(found: string | number | boolean, schema: FieldSchema, isYear: boolean): unknown {
  if (Array.isArray(schema.enum)) {
    const plain = (value: unknown): string => String(value).toLowerCase().trim();
    // Values of schema.org are URLs: https://schema.org/InStock.
    const names = [plain(found), plain(found).split('/').at(-1)];
    return schema.enum.find((each) => each !== null && names.includes(plain(each)));
  }
  const types = typesOf(schema);
  if (types.length === 0) return found;
  for (const type of types) {
    const value = asType(found, type, schema.format, isYear);
    if (value !== undefined && isWithinLimits(value, schema)) return value;
  }
  return undefined;
}

function asType(
  found: string | number | boolean,
  type: string,
  format: string | undefined,
  isYear: boolean,
): unknown {
  if (type === 'boolean')
    return typeof found === 'boolean'
      ? found
      : ({ true: true, false: false } as Record<string, boolean>)[String(found).toLowerCase()];
  if (type === 'number' || type === 'integer') {
    const number = numberIn(String(found), isYear);
    return number === undefined || (type === 'integer' && !Number.isInteger(number)) ? undefined : number;
  }
  if (type !== 'string') return undefined;
  const text = String(found);
  if (format === 'email') return formatText(text.replace(/^mailto:/i, ''), format);
  if (format === 'date') return formatText(/^\d{4}-\d\d-\d\d(?=T|$)/.exec(text)?.[0] ?? '', format);
  return format !== undefined && FORMATS[format] ? formatText(text, format) : text;
}

function formatText(text: string, format: string): string | undefined {
  return FORMATS[format]!.test(text) ? text : undefined;
}

/** Parses an unambiguous number: 1299, 1299.50, 1,299.50, with a currency sign before or after it. */
function numberIn(text: string, isYear: boolean): number | undefined {
  if (isYear) {
    const year = /^(1\d{3}|20\d\d)(?:-\d\d(?:-\d\d.*)?)?$/.exec(text.trim())?.[1];
    return year === undefined ? undefined : Number(year);
  }
  const bare = text.trim().replace(/^[€$£¥]\s?|\s?[€$£¥]$/g, '');
  if (/^-?\d+(\.\d+)?$/.test(bare)) return Number(bare);
  return /^-?\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(bare) && (bare.match(/,/g)!.length > 1 || bare.includes('.'))
    ? Number(bare.replaceAll(',', ''))
    : undefined;
}
