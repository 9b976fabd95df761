import { checkJsonSize } from '@quarry/resilience';
import { OutboundError, OutboundNetwork } from '@quarry/safe-http';

/**
 * 4 MiB after decoding: many times the longest response that any token budget allows, and small enough for every process.
 */
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** Longer than any deadline: the signal of the call ends it first. */
const CALL_MS = 15 * 60_000;

/**
 * @param url address that the operator configured; it may be in a private network, and redirects are not followed
 * @returns a replacement for `fetch`: size-limited, without redirects, and without the bodies of error responses
 */
export function modelFetch(url: string): typeof fetch {
  const client = OutboundNetwork.clientFor(url).openClient();
  return async (input, init) => {
    const { status, headers, bytes } = await client.sendRequest({
      method: 'POST',
      url: String(input instanceof Request ? input.url : input),
      headers: Object.fromEntries(new Headers(init?.headers)),
      body: String(init?.body),
      ...(init?.signal ? { signal: init.signal } : {}),
      bytesMax: ANSWER_BYTES_MAX,
      timeoutMs: CALL_MS,
      skipErrorBody: true,
      redirectsMax: 0,
    });
    checkSize(bytes.toString('utf8'));
    const shown = new Headers();
    for (const name of ['content-type', 'retry-after']) {
      const value = headers.get(name);
      if (value !== null) shown.set(name, value);
    }
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), { status, headers: shown });
  };
}

/**
 * Checks the size of a response, because the provider packages parse and traverse it without a limit.
 * @throws OutboundError
 */
function checkSize(json: string): void {
  try {
    checkJsonSize(json);
  } catch (error) {
    throw new OutboundError('unreadable', 'The language model wrote an answer that nests too deep.', error);
  }
}
