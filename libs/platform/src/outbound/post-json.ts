/** Why a call got no readable answer. */
export type OutboundFault =
  /** No connection, or one that broke before the answer was complete. */
  | 'unreachable'
  /** More bytes than were allowed, counted after decoding. */
  | 'too large'
  /** Bytes that are no HTTP, no valid compression or no UTF-8. */
  | 'unreadable';

/** The message names no host and no address: it may end up in an answer. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  constructor(
    readonly fault: OutboundFault,
    cause?: unknown,
  ) {
    super(`The other server's answer is ${fault}.`, { cause });
  }
}

export interface OutboundPost {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
  /** Closes the socket when it fires. */
  signal: AbortSignal;
  /** Bytes that an answer may have after decoding. */
  bytesMax: number;
}

export interface OutboundAnswer {
  status: number;
  headers: Headers;
  /** Empty unless the status is of the 200s: what a server says of its own failures is nobody's business here. */
  text: string;
}

/**
 * Sends JSON to a server that the operator has named. Follows no redirect, which could lead the key elsewhere, and
 * repeats nothing. For addresses that users give it is not meant: it asks no guard whether an address is public.
 * @throws OutboundError when there is no readable answer
 * @throws the signal's reason when it fires
 */
export async function postJson(post: OutboundPost): Promise<OutboundAnswer> {
  try {
    const response = await fetch(post.url, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'application/json', ...post.headers, 'content-type': 'application/json' },
      body: JSON.stringify(post.body),
      signal: post.signal,
    });
    const { status, headers } = response;
    if (response.ok) return { status, headers, text: await boundedText(response, post.bytesMax) };
    await response.body?.cancel();
    return { status, headers, text: '' };
  } catch (error) {
    post.signal.throwIfAborted();
    throw error instanceof OutboundError ? error : new OutboundError(faultOf(error), error);
  }
}

/** Counted while it streams: a small compressed body may unfold to any size. */
async function boundedText(response: Response, bytesMax: number): Promise<string> {
  if (Number(response.headers.get('content-length') ?? 0) > bytesMax) {
    await response.body?.cancel();
    throw new OutboundError('too large');
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop by a throw cancels the body, which closes the socket.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new OutboundError('too large');
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new OutboundError('unreadable', error);
  }
}

/** The runtime wraps the reason: its HTTP parser has a name, decompression has codes. */
function faultOf(error: unknown): OutboundFault {
  const { name, code } = ((error as Error).cause ?? {}) as { name?: string; code?: string };
  const isNonsense =
    name === 'HTTPParserError' || /^(Z_|ERR_+BROTLI|UND_ERR_HEADERS_OVERFLOW)/.test(code ?? '');
  return isNonsense ? 'unreadable' : 'unreachable';
}
