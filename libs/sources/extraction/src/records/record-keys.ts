/** @returns the host of a domain or web address, without `www.`. */
export function hostOf(text: string): string {
  const host =
    text
      .trim()
      .toLowerCase()
      .replace(/^[a-z]+:\/\//, '')
      .split(/[/?#:]/)[0] ?? '';
  return host.replace(/^www\./, '').replace(/\.$/, '');
}
