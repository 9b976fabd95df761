/**
 * Percent-encoded bytes that are not UTF-8 (`%ff`) are a well-formed address of something that does not exist, so
 * they must reach the route and get its 404, where the router would refuse the address as a whole. They are
 * replaced by U+FFFD, as a decoder would. Addresses whose encoding itself is broken (`%zz`) are left alone: 400.
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
