import type { ColumnKind } from '@quarry/dto';

/** JSON type of all values of a column kind. The contract lists only the kinds; the types are our decision. */
type JsonShape = 'string' | 'number' | 'boolean' | 'array' | 'objects' | 'object';

/**
 * JSON type that a declared kind requires. Formats (is this a real domain?) are not checked: imported lists are dirty, and a
 * half-wrong address is still worth keeping.
 */
const KIND_SHAPES: Record<ColumnKind, JsonShape> = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'string',
  url: 'string',
  domain: 'string',
  email: 'string',
  phone: 'string',
  linkedin_url: 'string',
  list: 'array',
  experiences: 'objects',
  educations: 'objects',
  object: 'object',
};

const SHAPE_WORDS: Record<JsonShape, string> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  objects: 'an array of objects',
  object: 'an object',
};

/** @returns whether a JSON value is a plain object: not null, not an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns what is wrong with a value in a column of this kind, or null. A null value fits every kind. */
export function kindFault(kind: ColumnKind, value: unknown): string | null {
  const shape = KIND_SHAPES[kind];
  if (value === null || hasShape(shape, value)) return null;
  return `must be ${SHAPE_WORDS[shape]} or null, because the column's kind is ${kind}`;
}

function hasShape(shape: JsonShape, value: unknown): boolean {
  if (shape === 'array') return Array.isArray(value);
  if (shape === 'objects') return Array.isArray(value) && value.every(isJsonObject);
  if (shape === 'object') return isJsonObject(value);
  return typeof value === shape;
}
