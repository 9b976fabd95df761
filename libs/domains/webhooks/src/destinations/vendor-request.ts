/**
 * @param base address of the vendor; null if the path is the complete URL
 * @param query credentials, for vendors that require them in the URL
 * @returns the complete URL
 */
export function addressOf(base: string | null, path: string, query: Record<string, string> = {}): string {
  const address = base === null ? path : base.replace(/\/$/, '') + path;
  const more = new URLSearchParams(query).toString();
  return more === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${more}`;
}
