import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import type pg from 'pg';

/**
 * Silence is counted in looks and not by the clock: a process that stood still finds on its return what came
 * meanwhile, and one look is not enough to lose patience.
 */
const LOOK_EVERY_MS = 500;

/** Something that waits for answers on one connection. */
export interface Watched {
  readonly client: pg.ClientBase;
  /** Milliseconds that it may be silent while something waits. */
  readonly timeoutMs: number;
  /** Looks since it last answered; whoever gets an answer sets it to 0. */
  looks: number;
  /** Returns true while something waits for an answer. */
  isWaiting(): boolean;
  /** Called when its connection has just been ended for its silence. */
  onSilence?: () => void;
}

/** Private part of the driver's client: the current statement, which for a COPY is a stream. */
interface Busy {
  _getActiveQuery(): ((Writable | Readable) & { _gotCopyInResponse?: boolean }) | null;
}

/**
 * The COPYs of one connection. A COPY may last for as long as its file is long, and its other end may be slower than
 * the server; so what counts is whether bytes move while it is the server's turn.
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
    // Unread bytes fill the stream, and then no more is read from the server.
    return copy instanceof Readable && copy.readableLength < copy.readableHighWaterMark;
  }
}

/**
 * Ends connections that do not answer. A peer that goes away without a word is noticed by TCP after a quarter of an
 * hour; whoever waits for it hears of it here in seconds, and the connection is replaced on the next use.
 */
export class ConnectionWatch {
  private readonly watched = new Set<Watched>();
  private readonly standing = new Set<pg.ClientBase>();
  private wentAway = false;
  private readonly timer: NodeJS.Timeout;

  constructor() {
    this.timer = setInterval(() => this.lookForLost(), LOOK_EVERY_MS).unref();
  }

  /** Watches until {@link forget}. */
  watch(watched: Watched): void {
    this.watched.add(watched);
  }

  forget(watched: Watched): void {
    this.watched.delete(watched);
  }

  /** Waits for an answer on a connection, which is ended when none comes in time. @throws what the driver says then */
  async within<T>(client: pg.ClientBase, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    const watched: Watched = { client, timeoutMs, looks: 0, isWaiting: () => true };
    this.watch(watched);
    try {
      return await work();
    } finally {
      this.forget(watched);
    }
  }

  /** Counts a connection among those that {@link endAll} ends. */
  keep(client: pg.ClientBase): void {
    this.standing.add(client);
    client.once('end', () => this.standing.delete(client));
    // Whoever waits on it is told by its statement; an event that nobody listens to would end the process.
    client.on('error', () => this.standing.delete(client));
  }

  /** True when the server has gone away without a word, and has not answered since. */
  get isAway(): boolean {
    return this.wentAway;
  }

  /** The server answers. */
  back(): void {
    this.wentAway = false;
  }

  /** Ends every standing connection, idle ones too: the server behind them has gone away. */
  endAll(): void {
    this.wentAway = true;
    for (const client of this.standing) endConnection(client);
    this.standing.clear();
  }

  /** @returns for how long the most silent connection has been kept beyond its patience, in milliseconds; else 0 */
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
      // Again at each look, should it have had no effect.
      endConnection(watched.client);
      watched.onSilence?.();
    }
  }
}

/** Ends a connection without asking the other side; what waits on it fails as after a reset. */
export function endConnection(client: pg.ClientBase): void {
  streamOf(client).destroy(new Error('Connection terminated: no answer in time.'));
}

/** The driver's types keep the connection to themselves. Asked for each time: TLS puts another stream in its place. */
export function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
