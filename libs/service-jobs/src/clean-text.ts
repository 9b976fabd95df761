/**
 * Makes provider output fit for PostgreSQL: NUL and lone surrogates, which neither text nor jsonb can hold, become
 * U+FFFD in every string and key. Input of customers is refused instead.
 */
export function cleanText<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD').toWellFormed() as T;
  if (Array.isArray(value)) return value.map((item: unknown) => cleanText(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanText(item)]),
  ) as T;
}
