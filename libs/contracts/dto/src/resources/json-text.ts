import type { z } from 'zod';

/** Never there: for the compiler alone. */
declare const RESOURCE: unique symbol;

/**
 * JSON as text, made by the owner of the data and passed on unparsed: one of these resources. The text of one resource is
 * no text of another.
 */
export type JsonText<Resource extends z.ZodType> = string & {
  readonly [RESOURCE]: (resource: z.output<Resource>) => z.output<Resource>;
};

/** The same where it may be large, as text or as UTF-8: nobody on its way to the client reads the characters. */
export type JsonBody<Resource extends z.ZodType> = JsonText<Resource> | Buffer;

/** The resource that a text holds. */
export type ResourceOf<Text> = Text extends JsonText<infer Resource> ? z.output<Resource> : never;

/** @returns the resource that one of our own calls has answered, for whoever needs a field of it */
export function parseResource<Resource extends z.ZodType>(text: JsonText<Resource>): z.output<Resource> {
  return JSON.parse(text) as z.output<Resource>;
}

/** @returns a resource as text, for whoever has it as a value */
export function jsonText<Resource extends z.ZodType>(
  _resource: Resource,
  value: z.output<Resource>,
): JsonText<Resource> {
  return JSON.stringify(value) as JsonText<Resource>;
}

type PageOf<Item extends z.ZodType> = z.ZodType<{ items: Array<z.output<Item>> }>;

/**
 * @param items a page's items and, when there are more, the next page's first
 * @returns a page of a list by offset
 */
export function offsetPageText<Item extends z.ZodType, Page extends PageOf<Item>>(
  _page: Page,
  items: ReadonlyArray<JsonText<Item>>,
  { limit, offset }: { limit: number; offset: number },
): JsonText<Page> {
  const next = items.length > limit ? offset + limit : null;
  return `{"items":[${items.slice(0, limit).join(',')}],"next_offset":${next}}` as JsonText<Page>;
}

/** @param next the cursor of the next page; null on the last one. @returns a page of a list by cursor */
export function cursorPageText<Item extends z.ZodType, Page extends PageOf<Item>>(
  _page: Page,
  items: ReadonlyArray<JsonText<Item>>,
  next: string | null,
): JsonText<Page> {
  return `{"items":[${items.join(',')}],"next_cursor":${JSON.stringify(next)}}` as JsonText<Page>;
}
