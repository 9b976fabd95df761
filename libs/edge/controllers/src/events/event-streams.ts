import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { EventFollower, EventPlace, Following, LoggedEvent } from '@quarry/events';
import { PeriodicTask, type Mode } from '@quarry/app';
import { untraced } from '@quarry/tracing';
import { rateLimited, whenClosed } from '@quarry/http';
import type { FastifyReply } from 'fastify';

/** Milliseconds between two checks of keys and sessions: well within the 5 seconds in which a revoked one must be out. */
const CHECK_MS = 2_500;
/** Proxies end what is silent for a minute. */
const SILENT_MS = 15_000;
/** A stream ends and is opened again, by whichever gateway answers then. */
const STREAM_MS = 10 * 60_000;
const RETRY_AFTER_SECONDS = 5;
/** Bytes that a client may leave unread. */
const UNREAD_MAX = 1024 * 1024;
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // nginx buffers an answer unless it is told not to.
  'x-accel-buffering': 'no',
};

/** Has a client come again at once, to another process. */
const COME_AGAIN = 'retry: 500\n\n';

/** Numbers of streams that may be open. Source: docs/events.md. */
export interface StreamLimits {
  ofKey: number;
  ofOrganisation: number;
  ofProcess: number;
}

export const STREAM_LIMITS: StreamLimits = { ofKey: 10, ofOrganisation: 50, ofProcess: 2_000 };

/** Owner of a stream, by a key or by the session of a browser. */
export interface StreamOwner {
  orgId: string;
  mode: Mode;
  kind: 'key' | 'session';
  id: string;
}

/** Events that a stream sends. */
export interface StreamContent {
  place: EventPlace;
  /** All when it is null. */
  types: readonly string[] | null;
  /** Event behind which a client comes again that no other has come to; null where it has one, or there is none. */
  lastId: string | null;
}

/** @returns those of some keys or sessions of an organisation that are still let in */
export type FindAdmitted = (
  orgId: string,
  kind: StreamOwner['kind'],
  ids: readonly string[],
) => Promise<readonly string[]>;

interface Stream {
  owner: StreamOwner;
  response: ServerResponse;
  openedAt: number;
  wroteAt: number;
  following: Following | null;
}

/** Types after which nothing more happens to their subject. */
const ENDS = /^(run|go)\.(completed|failed|cancelled)$|^(batch|enrichment)\.completed$/;

/**
 * Writes events to clients by server-sent events, from any place of the log, whichever process has made them. A stream of
 * one subject ends with it.
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

  /** Returns how many are open. */
  get size(): number {
    return this.streams.size;
  }

  /**
   * Keeps an answer open and writes events to it until its subject ends, its key is revoked, the client leaves or the
   * process stops.
   * @throws AppError rate_limited when the key, its organisation or this process has too many
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

  /** Ends every stream: clients come again at once, to another process. */
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
      throw rateLimited('Too many streams are open.', RETRY_AFTER_SECONDS);
    this.streams.add(stream);
    if (this.isStarted) return;
    this.isStarted = true;
    untraced(() => this.task.start());
  }

  private removeStream(stream: Stream): void {
    this.streams.delete(stream);
    stream.following?.stop();
  }

  /** Ends what is too old or not let in any more, and keeps the rest from falling silent. */
  private async checkStreams(): Promise<void> {
    const now = Date.now();
    for (const stream of this.streams) {
      if (now - stream.openedAt > STREAM_MS) endStream(stream);
      else if (now - stream.wroteAt > SILENT_MS) writeText(stream, ': \n\n');
    }
    const groups = Map.groupBy(this.streams, ({ owner: { orgId, kind } }) => `${orgId} ${kind}`);
    for (const group of groups.values()) {
      const { orgId, kind } = group[0]!.owner;
      const ids = new Set(group.map(({ owner }) => owner.id));
      const admitted = await this.findAdmitted(orgId, kind, [...ids]);
      for (const stream of group) if (!admitted.includes(stream.owner.id)) endStream(stream);
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
  // Whoever comes again behind an event that was passed over reads it no second time, and finds it for as long as any.
  const last = events.at(-1)!;
  writeText(stream, last === shown.at(-1) ? text : `${text}id: ${last.id}\n\n`);
  if (!endsWithSubject || !events.some(({ type }) => ENDS.test(type))) return;
  endStream(stream, 'event: end\ndata: {}\n\n');
}

/** Ends a stream. A client that does not read is cut off: its end would wait behind what it has not read. */
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
