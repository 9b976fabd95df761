/**
 * Replaces percent-encoded bytes that are not UTF-8 (`%ff`) with U+FFFD, as a decoder would. Such an address is well-formed but
 * names nothing that exists, so it must reach its route and get the 404, while the router would reject the address as a whole.
 * Malformed encodings (`%zz`) are left unchanged: 400.
 */
export function repairedUrl(url: string): string {
  if (!url.includes('%')) return url;
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    if (/%(?![0-9a-fA-F]{2})/.test(path)) return url;
    const repaired = path.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
      encodeURIComponent(Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8')),
    );
    return queryAt < 0 ? repaired : repaired + url.slice(queryAt);
  }
}
