/**
 * Yields the items of a source and fetches the next one while the caller works on the current one, never more than one ahead.
 * @throws what the source throws, after the items before it
 */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
  const items = source[Symbol.asyncIterator]();
  let next = items.next();
  try {
    for (let item = await next; !item.done; item = await next) {
      next = items.next();
      // The error surfaces when the item is awaited; the caller may have left by then.
      next.catch(() => undefined);
      yield item.value;
    }
  } finally {
    // Closes the source without waiting for an item that is no longer wanted.
    items.return?.().catch(() => undefined);
  }
}
