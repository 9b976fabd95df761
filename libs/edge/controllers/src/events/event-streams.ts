import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { EventFollower, EventPlace, Following, LoggedEvent } from '@quarry/events';
import { PeriodicTask, type Mode } from '@quarry/app';
import { untraced } from '@quarry/tracing';
import { rateLimited, whenClosed } from '@quarry/http';
import type { FastifyReply } from 'fastify';

/** Milliseconds between two checks of keys and sessions: well below the 5 seconds within which a revoked one must be out. */
const CHECK_MS = 2_500;
/** Milliseconds: proxies close a stream that is silent for a minute. */
const SILENT_MS = 15_000;
/** Milliseconds after which a stream ends and the client reconnects, possibly to another gateway. */
const STREAM_MS = 10 * 60_000;
const RETRY_AFTER_SECONDS = 5;
/** Bytes that a client may leave unread. */
const UNREAD_MAX = 1024 * 1024;
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // nginx buffers answers unless told not to.
  'x-accel-buffering': 'no',
};

/** Makes a client reconnect at once, to another process. */
const COME_AGAIN = 'retry: 500\n\n';

/** The most streams that may be open. Source: docs/events.md. */
export interface StreamLimits {
  ofKey: number;
  ofOrganisation: number;
  ofProcess: number;
}

export const STREAM_LIMITS: StreamLimits = { ofKey: 10, ofOrganisation: 50, ofProcess: 2_000 };

/** Owner of a stream: a key, or the session of a browser. */
export interface StreamOwner {
  orgId: string;
  mode: Mode;
  kind: 'key' | 'session';
  id: string;
}

/** Events that a stream sends. */
export interface StreamContent {
  place: EventPlace;
  /** All when null. */
  types: readonly string[] | null;
  /** Last event of a client that reconnects before it has received another one; null otherwise. */
  lastId: string | null;
}

/** @returns those of the given keys or sessions that are still valid */
export type FindAdmitted = (kind: StreamOwner['kind'], ids: readonly string[]) => Promise<readonly string[]>;

interface Stream {
  owner: StreamOwner;
  response: ServerResponse;
  openedAt: number;
  wroteAt: number;
  following: Following | null;
}

/** Types of the last event of a subject. */
const ENDS = /^(run|go)\.(completed|failed|cancelled)$|^(batch|enrichment)\.completed$/;

/**
 * Writes events to clients by server-sent events, from any position of the log, whichever process wrote them. A stream of one
 * subject ends with the subject.
 */
export class EventStreams {
  private readonly streams = new Set<Stream>();
  private readonly task: PeriodicTask;
  private isStarted = false;
  private isClosed = false;

  constructor(
    private readonly follower: EventFollower,
    private readonly findAdmitted: FindAdmitted,
    onError: (error: unknown) => void,
    private readonly limits = STREAM_LIMITS,
  ) {
    this.task = new PeriodicTask(() => this.checkStreams(), { intervalMs: CHECK_MS, onError });
  }

  /**
   * Keeps an answer open and writes events to it until its subject ends, its key is revoked, the client disconnects or the
   * process stops.
   * @throws AppError rate_limited when the key, its organisation or this process has too many streams
   */
  openStream(owner: StreamOwner, { place, types, lastId }: StreamContent, reply: FastifyReply): void {
    const { raw: response } = reply;
    const now = Date.now();
    const stream: Stream = { owner, response, openedAt: now, wroteAt: now, following: null };
    this.admitStream(stream);
    whenClosed(response, () => this.removeStream(stream));
    reply.hijack();
    response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEADERS });
    writeText(stream, lastId === null ? 'retry: 2000\n\n' : `retry: 2000\nid: ${lastId}\n\n`);
    if (this.isClosed) return endStream(stream, COME_AGAIN);
    if (!this.streams.has(stream)) return;
    stream.following = this.follower.followEvents({
      orgId: owner.orgId,
      mode: owner.mode,
      place,
      isReady: () => !response.writableNeedDrain,
      onEvents: (events) => writeEvents(stream, events, { types, endsWithSubject: place.subject !== null }),
    });
  }

  /** Ends every stream; clients reconnect at once, to another process. */
  close(): void {
    this.isClosed = true;
    void this.task.stop();
    for (const stream of this.streams) endStream(stream, COME_AGAIN);
  }

  private admitStream(stream: Stream): void {
    const { orgId, kind, id } = stream.owner;
    const ofOrganisation = [...this.streams].filter(({ owner }) => owner.orgId === orgId);
    const ofKey = ofOrganisation.filter(({ owner }) => owner.kind === kind && owner.id === id);
    if (
      ofKey.length >= this.limits.ofKey ||
      ofOrganisation.length >= this.limits.ofOrganisation ||
      this.streams.size >= this.limits.ofProcess
    )
      throw rateLimited('Too many streams are open. Close one first.', RETRY_AFTER_SECONDS);
    this.streams.add(stream);
    if (this.isStarted) return;
    this.isStarted = true;
    untraced(() => this.task.start());
  }

  private removeStream(stream: Stream): void {
    this.streams.delete(stream);
    stream.following?.stop();
  }

  /** Ends streams that are too old or no longer permitted, and sends keep-alives on silent ones. */
  private async checkStreams(): Promise<void> {
    const now = Date.now();
    for (const stream of this.streams) {
      if (now - stream.openedAt > STREAM_MS) endStream(stream);
      else if (now - stream.wroteAt > SILENT_MS) writeText(stream, ': \n\n');
    }
    for (const [kind, group] of Map.groupBy(this.streams, ({ owner }) => owner.kind)) {
      const ids = new Set(group.map(({ owner }) => owner.id));
      const admitted = new Set(await this.findAdmitted(kind, [...ids]));
      for (const stream of group) if (!admitted.has(stream.owner.id)) endStream(stream);
    }
  }
}

function writeEvents(
  stream: Stream,
  events: readonly LoggedEvent[],
  { types, endsWithSubject }: { types: readonly string[] | null; endsWithSubject: boolean },
): void {
  const shown = events.filter(({ type }) => types === null || types.includes(type));
  const text = shown.map(({ id, type, json }) => `id: ${id}\nevent: ${type}\ndata: ${json}\n\n`).join('');
  // The last id is sent even if its event was filtered out, so that a client that reconnects does not read it again.
  const last = events.at(-1)!;
  writeText(stream, last === shown.at(-1) ? text : `${text}id: ${last.id}\n\n`);
  if (!endsWithSubject || !events.some(({ type }) => ENDS.test(type))) return;
  endStream(stream, 'event: end\ndata: {}\n\n');
}

/** Ends a stream. A client that does not read is disconnected, because it would not receive the end either. */
function endStream({ following, response }: Stream, text = ''): void {
  following?.stop();
  if (response.writableNeedDrain) response.destroy();
  else if (!response.writableEnded) response.end(text);
}

function writeText(stream: Stream, text: string): void {
  if (stream.response.writableEnded) return;
  stream.wroteAt = Date.now();
  if (!stream.response.write(text) && stream.response.writableLength > UNREAD_MAX) stream.response.destroy();
}
