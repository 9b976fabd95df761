import { z } from 'zod';

/**
 * Creates the schema of a list in a vendor's response. Validation stops at the first invalid item: describing an error
 * costs ten times as much as parsing, and a response may be full of invalid items.
 */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(z.unknown()).transform((items, ctx): Array<z.output<Item>> => {
    const read: Array<z.output<Item>> = [];
    for (const [at, each] of items.entries()) {
      const { success, data, error } = item.safeParse(each);
      if (!success) {
        const [{ path, message }] = error.issues as [z.core.$ZodIssue];
        ctx.addIssue({ code: 'custom', path: [at, ...path], message });
        return z.NEVER;
      }
      read.push(data);
    }
    return read;
  });
}
