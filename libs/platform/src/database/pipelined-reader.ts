import type { Duplex } from 'node:stream';
import pg from 'pg';
import { gatherWrites } from '../streams/gather-writes.js';
import type { PreparedStatement, Row } from './statement.js';

interface Lane {
  client: pg.Client;
  ready: Promise<void>;
  /** Statements sent and not answered. */
  inFlight: number;
  /** When it last answered, or last had nothing to answer; monotonic milliseconds. */
  movedAtMs: number;
}

// A connection that has answered nothing for this long is held up by a heavy statement: others go round it.
const HELD_UP_MS = 2;

/**
 * A few connections in pipeline mode: many single statements in flight on each, answered in order. A broken
 * connection fails what was on it and is replaced on the next use.
 */
export class PipelinedReader {
  private readonly lanes: Array<Lane | null>;
  private closed = false;

  constructor(
    private readonly config: pg.ClientConfig,
    size: number,
  ) {
    this.lanes = new Array<Lane | null>(size).fill(null);
  }

  /** Runs one statement. @throws the driver's error. */
  async query<R extends Row>(sql: string | PreparedStatement, params: unknown[]): Promise<R[]> {
    const lane = this.lane();
    if (lane.inFlight === 0) lane.movedAtMs = performance.now();
    lane.inFlight += 1;
    try {
      await lane.ready;
      gatherWrites(streamOf(lane.client));
      return await ask<R>(lane.client, sql, params);
    } finally {
      lane.inFlight -= 1;
      lane.movedAtMs = performance.now();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.lanes.map(async (lane) => lane?.client.end().catch(() => undefined)));
  }

  /**
   * The first connection that moves: statements that share one are sent and answered together, which is cheaper than
   * spreading them. Where none moves, the one with the least on it.
   */
  private lane(): Lane {
    if (this.closed) throw new Error('The database connection is closed.');
    const nowMs = performance.now();
    let least: Lane | null = null;
    for (let i = 0; i < this.lanes.length; i += 1) {
      const lane = (this.lanes[i] ??= this.open(i));
      if (lane.inFlight === 0 || nowMs - lane.movedAtMs < HELD_UP_MS) return lane;
      if (least === null || lane.inFlight < least.inFlight) least = lane;
    }
    return least!;
  }

  private open(index: number): Lane {
    const client = new pg.Client({
      ...this.config,
      pipeline: true,
      statement_timeout: 60_000,
      connectionTimeoutMillis: 10_000,
    });
    const drop = () => {
      if (this.lanes[index]?.client === client) this.lanes[index] = null;
    };
    client.on('error', drop);
    client.on('end', drop);
    const ready = client.connect().then(
      () => undefined,
      (error: unknown) => {
        drop();
        throw error;
      },
    );
    return { client, ready, inFlight: 0, movedAtMs: performance.now() };
  }
}

/**
 * Asks by a query object of our own: given a configuration, the driver clones it property by property, which costs as
 * much as the rest of its part.
 */
function ask<R extends Row>(
  client: pg.Client,
  sql: string | PreparedStatement,
  params: unknown[],
): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(typeof sql === 'string' ? sql : sql.text, params) as unknown as DriverQuery<R>;
    if (typeof sql !== 'string') query.name = sql.name;
    query.callback = (error, result) => (error ? reject(error) : resolve(result.rows));
    client.query(query);
  });
}

/** A query of the driver, with what its types leave out. */
interface DriverQuery<R extends Row> extends pg.Submittable {
  name?: string;
  callback?: (error: Error | null, result: pg.QueryResult<R>) => void;
}

/** The driver's types keep the connection to themselves. Asked for each time: TLS puts another stream in its place. */
function streamOf(client: pg.Client): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}
