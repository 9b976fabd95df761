/** Page of a list: the next one starts at a cursor or at an offset. */
export interface PageOf<Item> {
  items: Item[];
  next_cursor?: string | null;
  next_offset?: number | null;
}

/** Start of a page. */
export interface PagePlace {
  cursor?: string;
  offset?: number;
}

/**
 * List with pages. When awaited, it is the first page; when iterated, it yields all items, loading page by page.
 * @example
 * for await (const run of quarry.runs.list()) console.log(run.id);
 * const { items } = await quarry.runs.list({ limit: 10 });
 */
export class Pages<Item, Page extends PageOf<Item> = PageOf<Item>>
  implements PromiseLike<Page>, AsyncIterable<Item>
{
  /** @param load reads the page at a position; an empty position is the first page */
  constructor(private readonly load: (place: PagePlace) => Promise<Page>) {}

  then<A = Page, B = never>(
    onPage?: ((page: Page) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.load({}).then(onPage, onError);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (let place: PagePlace | null = {}; place !== null;) {
      const { items, next_cursor: cursor, next_offset: offset }: Page = await this.load(place);
      yield* items;
      place = cursor != null ? { cursor } : offset != null ? { offset } : null;
    }
  }
}

/** List type for a type of page. */
export type PagesOf<Page extends PageOf<unknown>> = Pages<Page['items'][number], Page>;
