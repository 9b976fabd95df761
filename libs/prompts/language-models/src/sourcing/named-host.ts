const OF_A_NAME = /[\p{L}\p{N}-]/u;

/** @returns a host in lower case without `www.`, for comparison */
export function bareHost(host: string): string {
  return host.toLowerCase().replace(/^www\./, '');
}

/**
 * Searches a host literally, in linear time for any text.
 * @param text in lower case
 * @param host from {@link bareHost}
 * @returns whether the text contains the host as a whole name, with or without `www.`, and not as a part of another one
 */
export function namesHost(text: string, host: string): boolean {
  for (let at = text.indexOf(host); at >= 0; at = text.indexOf(host, at + host.length)) {
    const from = text.endsWith('www.', at) ? at - 4 : at;
    if (!continuesBefore(text, from) && !continuesBehind(text, at + host.length)) return true;
  }
  return false;
}

function continuesBefore(text: string, at: number): boolean {
  // A letter outside the Basic Multilingual Plane has two UTF-16 units.
  const before = text.slice(Math.max(0, at - 2), at);
  return before.endsWith('.') || OF_A_NAME.test([...before].at(-1) ?? '');
}

/** Returns whether a name continues. The dot at the end of a sentence does not continue it. */
function continuesBehind(text: string, at: number): boolean {
  const [first = '', second = ''] = text.slice(at, at + 3);
  return OF_A_NAME.test(first) || (first === '.' && OF_A_NAME.test(second));
}
