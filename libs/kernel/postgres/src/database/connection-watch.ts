import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import type pg from 'pg';

/**
 * Interval of the checks. Silence is counted in checks, not in elapsed time: a process that was suspended finds pending
 * responses when it resumes, and a single check does not reach the timeout.
 */
const LOOK_EVERY_MS = 500;

/** A user of one connection that waits for responses. */
export interface Watched {
  readonly client: pg.ClientBase;
  /** Maximum silence while something waits, in milliseconds. */
  readonly timeoutMs: number;
  /** Checks since the last response; set to 0 by the code that receives a response. */
  looks: number;
  /** Returns true while a response is pending. */
  isWaiting(): boolean;
  /** Called after its connection was ended because of its silence. */
  onSilence?: () => void;
}

/** Private part of the driver's client: the current statement, which is a stream for a COPY. */
interface Busy {
  _getActiveQuery(): ((Writable | Readable) & { _gotCopyInResponse?: boolean }) | null;
}

/**
 * COPYs of one connection. A COPY may take as long as its file is large, and its other end may be slower than the
 * server. It counts as stuck only if no bytes move while it is the server's turn.
 */
export class WatchedCopies implements Watched {
  looks = 0;
  private bytesMoved = -1;

  constructor(
    readonly client: pg.ClientBase,
    readonly timeoutMs: number,
  ) {}

  isWaiting(): boolean {
    const socket = streamOf(this.client);
    const bytesMoved = socket.bytesRead + socket.bytesWritten - socket.writableLength;
    const hasMoved = bytesMoved !== this.bytesMoved;
    this.bytesMoved = bytesMoved;
    return !hasMoved && this.isServersTurn(socket);
  }

  private isServersTurn(socket: Socket): boolean {
    const copy = (this.client as unknown as Busy)._getActiveQuery();
    if (copy instanceof Writable)
      return copy.writableEnded || socket.writableLength > 0 || !copy._gotCopyInResponse;
    // Unread bytes fill the stream's buffer; then the driver stops reading from the server.
    return copy instanceof Readable && copy.readableLength < copy.readableHighWaterMark;
  }
}

/**
 * Ends connections that do not respond. TCP takes a quarter of an hour to notice a peer that has disappeared; here the
 * waiting callers fail within seconds, and the connection is replaced on the next use.
 */
export class ConnectionWatch {
  private readonly watched = new Set<Watched>();
  private readonly standing = new Set<pg.ClientBase>();
  private wentAway = false;
  private readonly timer: NodeJS.Timeout;

  constructor() {
    this.timer = setInterval(() => this.lookForLost(), LOOK_EVERY_MS).unref();
  }

  /** Watches a connection until {@link forget}. */
  watch(watched: Watched): void {
    this.watched.add(watched);
  }

  forget(watched: Watched): void {
    this.watched.delete(watched);
  }

  /** Runs `work` and ends the connection if no response comes in time. @throws the driver's error of the ended connection */
  async within<T>(client: pg.ClientBase, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    const watched: Watched = { client, timeoutMs, looks: 0, isWaiting: () => true };
    this.watch(watched);
    try {
      return await work();
    } finally {
      this.forget(watched);
    }
  }

  /** Registers a connection for {@link endAll}. */
  keep(client: pg.ClientBase): void {
    this.standing.add(client);
    client.once('end', () => this.standing.delete(client));
    // The waiting statement reports the error; an `error` event without a listener would end the process.
    client.on('error', () => this.standing.delete(client));
  }

  /** True if the server has stopped responding and has not responded since. */
  get isAway(): boolean {
    return this.wentAway;
  }

  /** Marks the server as available again. */
  back(): void {
    this.wentAway = false;
  }

  /** Ends all open connections, including idle ones, because their server no longer responds. */
  endAll(): void {
    this.wentAway = true;
    for (const client of this.standing) endConnection(client);
    this.standing.clear();
  }

  /** @returns the longest silence of a connection beyond its timeout, in milliseconds; 0 if there is none */
  get longestOverdueMs(): number {
    const overdue = [...this.watched].map(({ looks, timeoutMs }) => looks * LOOK_EVERY_MS - timeoutMs);
    return Math.max(0, ...overdue);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private lookForLost(): void {
    for (const watched of this.watched) {
      watched.looks = watched.isWaiting() ? watched.looks + 1 : 0;
      if (watched.looks * LOOK_EVERY_MS <= watched.timeoutMs) continue;
      // Repeated at each check, in case it had no effect.
      endConnection(watched.client);
      watched.onSilence?.();
    }
  }
}

/** Closes a connection without notifying the server. Pending statements fail as after a reset. */
export function endConnection(client: pg.ClientBase): void {
  streamOf(client).destroy(new Error('Connection terminated: no answer in time.'));
}

/** Returns the socket, which the driver's types do not expose. Not cached, because TLS replaces the stream. */
export function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
