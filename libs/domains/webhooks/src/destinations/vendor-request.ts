/**
 * @param base where the vendor is; null when the path is the whole address
 * @param query what proves who asks, for vendors that want it there
 * @returns the whole address
 */
export function addressOf(base: string | null, path: string, query: Record<string, string> = {}): string {
  const address = base === null ? path : base.replace(/\/$/, '') + path;
  const more = new URLSearchParams(query).toString();
  return more === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${more}`;
}
