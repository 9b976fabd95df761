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

/** @returns the last part of a LinkedIn address, or the text itself when it is already a slug. */
export function linkedinSlugOf(text: string): string {
  const path = text.trim().toLowerCase().split(/[?#]/)[0] ?? '';
  return path.replace(/\/+$/, '').split('/').at(-1) ?? '';
}
