const OF_A_NAME = /[\p{L}\p{N}-]/u;

/** @returns a host as it is compared: in lower case, without `www.` */
export function bareHost(host: string): string {
  return host.toLowerCase().replace(/^www\./, '');
}

/**
 * Looks for a host by its own letters, so that no text makes the work more than its length.
 * @param text in lower case
 * @param host bare, as {@link bareHost} gives it
 * @returns whether the text has the host as a whole name, with or without `www.`, and not as a part of another one
 */
export function namesHost(text: string, host: string): boolean {
  for (let at = text.indexOf(host); at >= 0; at = text.indexOf(host, at + host.length)) {
    const from = text.endsWith('www.', at) ? at - 4 : at;
    if (!continuesBefore(text, from) && !continuesBehind(text, at + host.length)) return true;
  }
  return false;
}

function continuesBefore(text: string, at: number): boolean {
  // A letter outside of the first plane has two units.
  const before = text.slice(Math.max(0, at - 2), at);
  return before.endsWith('.') || OF_A_NAME.test([...before].at(-1) ?? '');
}

/** The dot that ends a sentence does not continue a name. */
function continuesBehind(text: string, at: number): boolean {
  const [first = '', second = ''] = text.slice(at, at + 3);
  return OF_A_NAME.test(first) || (first === '.' && OF_A_NAME.test(second));
}
