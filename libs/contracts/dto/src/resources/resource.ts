import { z } from 'zod';

/** Resources by their name in the API description. */
const REGISTRY = z.registry<{ id: string }>();

/** JSON Schema 2020-12, as far as it is generated here. */
export type JsonSchema = Record<string, unknown>;

/**
 * Declares a resource: the exact schema of a response. An unknown field is an error, as the contract never adds one.
 * @param id unique name in the API description
 */
export function defineResource<Shape extends z.ZodRawShape>(
  id: string,
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  const schema = z.strictObject(shape);
  REGISTRY.add(schema, { id });
  return schema;
}

/** Declares a page of a list with offset pagination. */
export function offsetPage<Item extends z.ZodType>(id: string, item: Item) {
  return defineResource(id, {
    items: z.array(item),
    next_offset: z.int().nullable().describe('The offset of the next page; null on the last one.'),
  });
}

/** Declares a page of a list with cursor pagination. */
export function cursorPage<Item extends z.ZodType>(id: string, item: Item) {
  return defineResource(id, {
    items: z.array(item),
    next_cursor: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
  });
}

/** @param schema a declared resource @returns its name. @throws Error when it was not declared by {@link defineResource} */
export function idOf(schema: z.ZodType): string {
  const id = REGISTRY.get(schema)?.id;
  if (id === undefined) throw new Error('This schema is no declared resource.');
  return id;
}

/**
 * @param uri returns the reference to a resource by its name
 * @returns all declared resources as JSON Schemas, by name, with references to each other
 */
export function resourceSchemas(uri: (id: string) => string): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(REGISTRY, { uri });
  return Object.fromEntries(
    Object.entries(schemas)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, { $schema: _schema, $id: _id, ...schema }]) => [id, schema as JsonSchema]),
  );
}

/** Returns the regular expression of identifiers with a prefix. Source: docs/contract.md#1-identifiers-keys-numbers. */
export function idPatternOf(prefix: string): string {
  return `^${prefix}_[0-9a-z]{26}$`;
}

/** Schema of an opaque identifier: a prefix, `_`, and 26 characters. */
export const Id = (prefix: string, of: string) =>
  z
    .string()
    .regex(new RegExp(idPatternOf(prefix)))
    .describe(`Identifier of ${of}.`);

export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .describe('UTC, ISO 8601 with milliseconds.');

export const Credits = z.number().describe('Credits, with at most three decimal places.');
export const Count = z.int().min(0);
export const Path = z.string().startsWith('/');
