import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { OpenSession } from '@quarry/identity';
import { PeriodicTask } from '@quarry/app';
import { untraced } from '@quarry/tracing';
import { rateLimited, whenClosed } from '@quarry/http';
import type { FastifyReply } from 'fastify';
import type { Change, ChangesSoFar } from './tenant-changes.js';

/** Maximum milliseconds from a change until its event is sent. */
const TICK_MS = 1_000;
/** Ticks between two checks of sessions and of silent streams. */
const TICKS_TO_CHECK = 5;
/** Milliseconds: proxies close a stream that is silent for a minute. The id that is sent keeps the position. */
const SILENT_MS = 15_000;
/** Milliseconds after which a stream ends and the browser reconnects, possibly to another gateway. */
const STREAM_MS = 10 * 60_000;
/** Milliseconds of absence after which a returning client has to read everything again. */
const RESUMED_MS = 15 * 60_000;
const SESSION_STREAMS_MAX = 6;
const ORGANISATION_STREAMS_MAX = 200;
/** Bytes that a client may leave unread. */
const UNREAD_MAX = 64 * 1024;
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // nginx buffers answers unless told not to.
  'x-accel-buffering': 'no',
};

export interface ChangeSource {
  findChanges(orgId: string, since: number | null): Promise<ChangesSoFar>;
  /** @returns the open ones among the sessions */
  openSessions(sessionIds: readonly string[]): Promise<readonly string[]>;
}

interface Stream {
  sessionId: string;
  response: ServerResponse;
  openedAt: number;
  wroteAt: number;
}

/** The streams of one organisation, and the event that its browsers got last. */
interface Feed {
  streams: Set<Stream>;
  lastSent: ChangesSoFar | null;
  ticks: number;
  task: PeriodicTask;
}

/**
 * Tells browsers by server-sent events what has changed: ids and revisions, never values. It polls once a second for each
 * organisation with an open stream, so changes of any process are found without notifications.
 */
export class ChangeStreams {
  private readonly feeds = new Map<string, Feed>();
  private isClosed = false;

  constructor(
    private readonly source: ChangeSource,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Keeps an answer open and writes changes to it until the session ends, the client disconnects or the process stops.
   * @param lastEventId last event of a browser that reconnects
   * @throws AppError rate_limited when the session or its organisation has too many streams
   */
  async openStream(
    { id, orgId }: OpenSession,
    lastEventId: string | undefined,
    reply: FastifyReply,
  ): Promise<void> {
    const { raw: response } = reply;
    const now = Date.now();
    const stream: Stream = { sessionId: id, response, openedAt: now, wroteAt: now };
    const feed = this.admitStream(orgId, stream);
    whenClosed(response, () => this.removeStream(orgId, stream));
    reply.hijack();
    response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEADERS });
    writeText(stream, 'retry: 2000\n\n');
    if (this.isClosed) return void response.end();
    if (lastEventId === undefined) {
      // The next tick sends everything else.
      if (feed.lastSent) writeText(stream, eventOf(feed.lastSent));
      return;
    }
    const since = /^\d{13}$/.test(lastEventId) ? Number(lastEventId) : 0;
    if (Math.abs(now - since) > RESUMED_MS) return writeText(stream, 'event: reset\ndata: {}\n\n');
    try {
      writeText(stream, eventOf(await this.source.findChanges(orgId, since)));
    } catch (error) {
      this.onError(error);
      // The browser reconnects with the same id.
      response.end();
    }
  }

  /** Ends every stream; browsers reconnect at once, to another process. */
  close(): void {
    this.isClosed = true;
    for (const { streams } of this.feeds.values())
      for (const { response } of streams) response.end('retry: 500\n\n');
  }

  private admitStream(orgId: string, stream: Stream): Feed {
    const feed = this.feeds.get(orgId) ?? this.startFeed(orgId);
    const ofSession = [...feed.streams].filter(({ sessionId }) => sessionId === stream.sessionId);
    if (ofSession.length >= SESSION_STREAMS_MAX || feed.streams.size >= ORGANISATION_STREAMS_MAX)
      throw rateLimited('Too many streams are open. Close one first.', 60);
    feed.streams.add(stream);
    return feed;
  }

  private startFeed(orgId: string): Feed {
    const task = new PeriodicTask(() => this.tickFeed(orgId, feed), {
      intervalMs: TICK_MS,
      onError: this.onError,
    });
    const feed: Feed = { streams: new Set(), lastSent: null, ticks: 0, task };
    this.feeds.set(orgId, feed);
    untraced(() => task.start());
    return feed;
  }

  private removeStream(orgId: string, stream: Stream): void {
    const feed = this.feeds.get(orgId);
    feed?.streams.delete(stream);
    if (feed?.streams.size !== 0) return;
    this.feeds.delete(orgId);
    void feed.task.stop();
  }

  private async tickFeed(orgId: string, feed: Feed): Promise<void> {
    feed.ticks += 1;
    if (feed.ticks % TICKS_TO_CHECK === 0) await this.endOld(feed);
    const found = await this.source.findChanges(orgId, null);
    const known = new Set(feed.lastSent?.changes.map(textOf));
    const changes = found.changes.filter((each) => !known.has(textOf(each)));
    feed.lastSent = found;
    const now = Date.now();
    for (const stream of feed.streams) {
      if (changes.length > 0) writeText(stream, eventOf({ at: found.at, changes }));
      else if (now - stream.wroteAt > SILENT_MS) writeText(stream, `id: ${found.at}\n\n`);
    }
  }

  private async endOld({ streams }: Feed): Promise<void> {
    const ids = new Set([...streams].map(({ sessionId }) => sessionId));
    const open = await this.source.openSessions([...ids]);
    for (const { sessionId, openedAt, response } of streams)
      if (!open.includes(sessionId) || Date.now() - openedAt > STREAM_MS) response.end();
  }
}

const textOf = ({ mode, type, id, revision }: Change): string => `${mode} ${type} ${id} ${revision}`;

const eventOf = ({ at, changes }: ChangesSoFar): string => `id: ${at}\ndata: ${JSON.stringify(changes)}\n\n`;

function writeText(stream: Stream, text: string): void {
  stream.wroteAt = Date.now();
  if (!stream.response.write(text) && stream.response.writableLength > UNREAD_MAX) stream.response.destroy();
}
