import pg from 'pg';
import { gatherWrites } from './gather-writes.js';
import { streamOf, type ConnectionWatch, type Watched } from './connection-watch.js';
import { runScoped } from './scoped-query.js';
import type { PreparedStatement, Row } from './statement.js';
import type { TransactionFrame } from './transaction-frame.js';

interface PipelinedConnection {
  client: pg.Client;
  ready: Promise<void>;
  /** Statements sent and not yet answered. */
  inFlight: number;
  /** Time of its last response, or when it was last idle; monotonic milliseconds. */
  movedAtMs: number;
  watched: Watched;
}

export interface PipelinedPoolOptions {
  connection: pg.ClientConfig;
  frame: TransactionFrame;
  size: number;
  watch: ConnectionWatch;
  /** Maximum silence while a statement waits, in milliseconds; then the connection is ended. */
  timeoutMs: number;
  onSilence?: () => void;
}

// A connection that has been silent for this long is blocked by a heavy statement: others avoid it.
const HELD_UP_MS = 2;

/**
 * A few connections in pipeline mode: many single statements are in flight on each and are answered in order. A broken
 * connection fails its pending statements and is replaced on the next use.
 */
export class PipelinedPool {
  private readonly connections: Array<PipelinedConnection | null>;
  private closed = false;

  constructor(private readonly options: PipelinedPoolOptions) {
    this.connections = new Array<PipelinedConnection | null>(options.size).fill(null);
  }

  /** Runs one statement within a scope. @throws the driver's error */
  async query<R extends Row>(
    scope: string,
    sql: string | PreparedStatement,
    params: unknown[],
  ): Promise<R[]> {
    const connection = this.leastBusy();
    if (connection.inFlight === 0) connection.movedAtMs = performance.now();
    connection.inFlight += 1;
    try {
      await connection.ready;
      gatherWrites(streamOf(connection.client));
      return await runScoped<R>(connection.client, this.options.frame, scope, sql, params);
    } finally {
      connection.inFlight -= 1;
      connection.movedAtMs = performance.now();
      connection.watched.looks = 0;
    }
  }

  /** @returns the number of pending statements, and the longest silence of a connection on which one waits */
  readMetrics(): { inFlight: number; stillMs: number } {
    const nowMs = performance.now();
    const busy = this.connections.filter(
      (connection) => connection !== null && connection.inFlight > 0,
    ) as PipelinedConnection[];
    return {
      inFlight: busy.reduce((sum, connection) => sum + connection.inFlight, 0),
      stillMs: Math.max(0, ...busy.map((connection) => nowMs - connection.movedAtMs)),
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(
      this.connections.map(async (connection) => connection?.client.end().catch(() => undefined)),
    );
  }

  /**
   * Returns the first connection that is responsive: statements on one connection are sent and answered together, which is
   * cheaper than spreading them. If none is responsive, returns the one with the fewest pending statements.
   */
  private leastBusy(): PipelinedConnection {
    if (this.closed) throw new Error('The database connection is closed.');
    const nowMs = performance.now();
    let least: PipelinedConnection | null = null;
    for (let i = 0; i < this.connections.length; i += 1) {
      const connection = (this.connections[i] ??= this.openConnection(i));
      if (connection.inFlight === 0 || nowMs - connection.movedAtMs < HELD_UP_MS) return connection;
      if (least === null || connection.inFlight < least.inFlight) least = connection;
    }
    return least!;
  }

  private openConnection(index: number): PipelinedConnection {
    const { connection: config, watch, timeoutMs, onSilence } = this.options;
    const client = new pg.Client({ ...config, pipeline: true });
    const watched: Watched = {
      client,
      timeoutMs,
      looks: 0,
      isWaiting: () => connection.inFlight > 0,
      ...(onSilence ? { onSilence } : {}),
    };
    const drop = () => {
      watch.forget(watched);
      if (this.connections[index]?.client === client) this.connections[index] = null;
    };
    client.on('error', drop);
    client.on('end', drop);
    // While connecting, the driver's own timeout applies.
    const ready = client.connect().then(
      () => {
        watch.keep(client);
        watch.watch(watched);
      },
      (error: unknown) => {
        drop();
        throw error;
      },
    );
    const connection: PipelinedConnection = {
      client,
      ready,
      inFlight: 0,
      movedAtMs: performance.now(),
      watched,
    };
    return connection;
  }
}
