/**
 * Gives what a source gives, and reads the next item while the caller works on one: never more than one ahead.
 * @throws whatever the source throws, once the items before it have been given
 */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
  const items = source[Symbol.asyncIterator]();
  let next = items.next();
  try {
    for (let item = await next; !item.done; item = await next) {
      next = items.next();
      // A failure waits for its turn; the caller may have left by then.
      next.catch(() => undefined);
      yield item.value;
    }
  } finally {
    // Nobody waits for an item that is under way and not wanted any more.
    items.return?.().catch(() => undefined);
  }
}
