import { ApiError, ConnectionError } from './errors.js';
import type { FollowOptions } from './resource.js';
import { pauseFor, type ApiRequest, type Transport } from './transport.js';

const PAUSE_MS = 2_000;

/** Event of a run, a batch, a Go run, an enrichment, a monitor, or the account. */
export interface QuarryEvent {
  id: string;
  type: string;
  /** UTC, ISO 8601. */
  timestamp: string;
  /** Identifier of the resource the event is about. */
  subject: string;
  /** Sequence number of the subject's events, without gaps. */
  seq: number;
  data: Record<string, unknown>;
}

/** Message of a stream. Source: HTML, “Server-sent events”. */
interface Message {
  id: string;
  event: string;
  data: string;
}

/**
 * Streams events, with reconnects after the last received event.
 * @returns the events in order, each once, until the stream has ended
 * @throws ApiError when it is rejected; the signal's reason
 */
export async function* followEvents(
  transport: Transport,
  request: ApiRequest,
  options: FollowOptions = {},
): AsyncGenerator<QuarryEvent> {
  let last = options.after;
  let pauseMs = PAUSE_MS;
  for (;;) {
    try {
      const headers = { accept: 'text/event-stream', 'last-event-id': last };
      const { response, pieces } = await transport.stream({ ...request, headers }, options);
      if (response.status === 204) return;
      for await (const { id, event, data } of messagesOf(pieces, (ms) => (pauseMs = ms))) {
        if (event === 'end') return;
        if (data !== '') yield JSON.parse(data) as QuarryEvent;
        if (id !== '') last = id;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof ConnectionError || (error instanceof ApiError && error.isRetryable)))
        throw error;
    }
    await pauseFor(pauseMs, options.signal);
  }
}

/** Parses messages. Chunks may end anywhere, and lines end with LF, CR LF or CR. */
async function* messagesOf(
  pieces: AsyncIterable<Uint8Array>,
  onRetry: (ms: number) => void,
): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let text = '';
  let message: Message = { id: '', event: '', data: '' };
  for await (const bytes of pieces) {
    text += decoder.decode(bytes, { stream: true });
    // A CR at the end of a chunk may be the first half of CR LF.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    text = lines.pop()!;
    for (const line of lines) {
      if (line === '') {
        if (message.data !== '' || message.event !== '' || message.id !== '') yield message;
        message = { id: '', event: '', data: '' };
        continue;
      }
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
      if (name === 'retry' && /^\d+$/.test(value)) onRetry(Number(value));
      else if (name === 'data') message.data += (message.data && '\n') + value;
      else if (name === 'id' || name === 'event') message[name] = value;
    }
  }
}
