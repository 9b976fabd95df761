import { countFitting } from './answer-size.js';

/** A page as tools answer it. */
export type CursorPage<Item> = {
  items: Item[];
  next_cursor: string | null;
  /** True where it ends before its limit, because more would not fit into an answer. */
  truncated: boolean;
};

/** A page as calls by cursor answer it. */
export interface ReadPage<Item = Record<string, unknown>> {
  items: Item[];
  next_cursor: string | null;
}

/**
 * Reads a page whose items fit into one answer. A cursor stands behind the last item of its page, so that a page that is too
 * large is read again with the number of items that fit.
 * @param read reads so many items at most
 * @param shown what the answer shows of an item
 * @param beside what the answer has beside its items, once they have been read
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
