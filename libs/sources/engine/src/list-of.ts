import { z } from 'zod';

/**
 * Makes the schema of a list in a vendor's answer. It ends with the first wrong item: describing what is wrong costs ten times what
 * reading does, and an answer may have as many wrong items as fit into it.
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
