import { countFitting } from './answer-size.js';

/** Page as tools return it. */
export type CursorPage<Item> = {
  items: Item[];
  next_cursor: string | null;
  /** True when it has fewer items than its limit, because more would not fit into a result. */
  truncated: boolean;
};

/** Page as calls with cursor pagination return it. */
export interface ReadPage<Item = Record<string, unknown>> {
  items: Item[];
  next_cursor: string | null;
}

/**
 * Reads a page whose items fit into one result. A cursor is the position after the last item of its page, so a page that is
 * too large is read again with the number of items that fit.
 * @param read reads at most this number of items
 * @param shown returns the part of an item that the result contains
 * @param beside returns the rest of the result, once the items have been read
 */
export async function pageThatFits<Shown>(
  limit: number,
  read: (limit: number) => Promise<Record<string, unknown>>,
  shown: (item: Record<string, unknown>) => Shown,
  beside: () => object = () => ({}),
): Promise<CursorPage<Shown>> {
  for (let wanted = limit; ;) {
    const page = (await read(wanted)) as unknown as ReadPage;
    const items = page.items.map(shown);
    const fits = countFitting(items, beside());
    if (fits >= items.length) return { items, next_cursor: page.next_cursor, truncated: wanted < limit };
    wanted = fits;
  }
}
