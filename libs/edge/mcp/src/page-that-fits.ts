import { countFitting } from './answer-size.js';

/** A page as calls by cursor answer it. */
export type CursorPage<Item> = {
  items: Item[];
  next_cursor: string | null;
};

/**
 * Reads a page whose items fit into one answer. A cursor stands behind the last item of its page, so that a page that is too
 * large is read again with the number of items that fit.
 * @param read reads so many items at most
 * @param shown what the answer shows of an item
 */
export async function pageThatFits<Shown>(
  limit: number,
  read: (limit: number) => Promise<Record<string, unknown>>,
  shown: (item: Record<string, unknown>) => Shown,
): Promise<CursorPage<Shown>> {
  for (let wanted = limit; ;) {
    const page = (await read(wanted)) as unknown as CursorPage<Record<string, unknown>>;
    const items = page.items.map(shown);
    const fits = countFitting(items, {});
    if (fits >= items.length) return { items, next_cursor: page.next_cursor };
    wanted = fits;
  }
}
