/**
 * Makes provider output storable in PostgreSQL: NUL and lone surrogates, which neither text nor jsonb can hold, become
 * U+FFFD in every string and key. Customer input is rejected instead.
 * @param onReplaced called once per changed string
 */
export function cleanText<T>(value: T, onReplaced: () => void = () => undefined): T {
  if (typeof value === 'string') {
    const clean = value.replaceAll('\0', '\uFFFD').toWellFormed();
    if (clean !== value) onReplaced();
    return clean as T;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => cleanText(item, onReplaced)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key, onReplaced), cleanText(item, onReplaced)]),
  ) as T;
}
