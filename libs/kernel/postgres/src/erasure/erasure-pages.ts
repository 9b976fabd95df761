interface PageRow {
  readonly id: string;
  readonly at: string;
}

/** Time and id of the last row that was read, as text that keeps the microseconds; null for the first page. */
type Before = readonly [at: string | null, id: string | null];

/**
 * Yields the pages of a list with the newest row first.
 * @param size rows of a full page: a smaller one is the last
 */
export async function* erasurePages<Row extends PageRow>(
  size: number,
  readPage: (before: Before) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let before: Before = [null, null];
  for (;;) {
    const page = await readPage(before);
    yield page;
    const last = page.at(-1);
    if (!last || page.length < size) return;
    before = [last.at, last.id];
  }
}
