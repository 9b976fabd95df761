import type { z } from 'zod';

/** Type-level brand; it does not exist at runtime. */
declare const RESOURCE: unique symbol;

/**
 * JSON of a resource as text, created by the owner of the data and passed on unparsed. Texts of different resources are
 * different types.
 */
export type JsonText<Resource extends z.ZodType> = string & {
  readonly [RESOURCE]: (resource: z.output<Resource>) => z.output<Resource>;
};

/** Possibly large JSON of a resource, as text or as UTF-8: it is passed to the client without decoding. */
export type JsonBody<Resource extends z.ZodType> = JsonText<Resource> | Buffer;

export type ResourceOf<Text> = Text extends JsonText<infer Resource> ? z.output<Resource> : never;

/** @returns the parsed response of one of our own calls, for callers that need a field of it */
export function parseResource<Resource extends z.ZodType>(text: JsonText<Resource>): z.output<Resource> {
  return JSON.parse(text) as z.output<Resource>;
}

/** @returns a resource as text, for callers that have it as a value */
export function jsonText<Resource extends z.ZodType>(
  _resource: Resource,
  value: z.output<Resource>,
): JsonText<Resource> {
  return JSON.stringify(value) as JsonText<Resource>;
}

type PageOf<Item extends z.ZodType> = z.ZodType<{ items: Array<z.output<Item>> }>;

/**
 * @param items of the page and, if there are more, the first one of the next page
 * @returns a page of a list with offset pagination
 */
export function offsetPageText<Item extends z.ZodType, Page extends PageOf<Item>>(
  _page: Page,
  items: ReadonlyArray<JsonText<Item>>,
  { limit, offset }: { limit: number; offset: number },
): JsonText<Page> {
  const next = items.length > limit ? offset + limit : null;
  return `{"items":[${items.slice(0, limit).join(',')}],"next_offset":${next}}` as JsonText<Page>;
}

/** @param next cursor of the next page; null on the last one. @returns a page of a list with cursor pagination */
export function cursorPageText<Item extends z.ZodType, Page extends PageOf<Item>>(
  _page: Page,
  items: ReadonlyArray<JsonText<Item>>,
  next: string | null,
): JsonText<Page> {
  return `{"items":[${items.join(',')}],"next_cursor":${JSON.stringify(next)}}` as JsonText<Page>;
}
