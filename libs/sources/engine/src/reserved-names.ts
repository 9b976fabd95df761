/**
 * Domain names that never resolve, on purpose. Source: RFC 2606 section 2, RFC 6761 section 6. The sandbox uses names below
 * them.
 */
const RESERVED = /\.(example|test|invalid|localhost)$/;

/** @returns whether a domain, web address or e-mail address is below a name that is reserved for examples and tests */
export function isReservedName(text: string): boolean {
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .split(/[/?#]/)[0]!
    .replace(/^\S*@/, '')
    .replace(/:\d*$/, '')
    .replace(/\.$/, '');
  return !/\s/.test(host) && RESERVED.test(host);
}
