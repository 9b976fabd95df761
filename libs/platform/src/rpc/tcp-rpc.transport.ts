import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '../context/ctx.js';
import { CallingConnection, ConnectionLost } from './calling-connection.js';
import type { RpcSecurity } from './rpc-security.js';
import type { RpcCall, RpcTransport } from './rpc-transport.js';
import { areaOf, type RpcReply } from './rpc-wire.js';
import { unavailable } from './unavailable.js';

export interface TcpRpcOptions {
  /** Pattern prefix (`tables.`) to `tcp://host:port`. */
  upstreams: Readonly<Record<string, string>>;
  /** What this process shows, and wants to be shown. */
  security: RpcSecurity;
  connectionsPerUpstream?: number;
  /** Connections are replaced at this age, so that new replicas behind the same name get their share. */
  connectionAgeMs?: number;
}

// Behind one address there may be several processes, and one of them may just have left. What has not been sent is safe
// to send elsewhere, also a write; after a third of a second nobody is there.
const PAUSES_MS = [0, 20, 40, 80, 160] as const;

/** Calls over TCP: a few connections per upstream, a deadline on every call. */
export class TcpRpcTransport implements RpcTransport {
  private readonly pools: Array<{ prefix: string; pool: ConnectionPool }>;

  constructor(options: TcpRpcOptions) {
    const { security, connectionsPerUpstream = 4, connectionAgeMs = 60_000 } = options;
    this.pools = Object.entries(options.upstreams).map(([prefix, url]) => ({
      prefix,
      pool: new ConnectionPool({
        url: new URL(url),
        area: areaOf(prefix),
        security,
        size: connectionsPerUpstream,
        ageMs: connectionAgeMs,
      }),
    }));
  }

  async call<Request, Response>(
    ctx: Ctx,
    call: RpcCall<Request, Response>,
    request: Request,
  ): Promise<Response> {
    const target = this.pools.find(({ prefix }) => call.pattern.startsWith(prefix));
    if (!target) throw new Error(`No upstream serves ${call.pattern}.`);
    const timeoutMs = Math.min(call.timeoutMs, ctx.timeoutMs ?? call.timeoutMs);
    const reply = await this.send(target.pool, ctx, call, request, timeoutMs).catch((error: unknown) => {
      throw unavailable(call.pattern, 'unreachable', error);
    });
    if (reply.error) throw AppError.deserialize(reply.error);
    return reply.value as Response;
  }

  async close(): Promise<void> {
    for (const { pool } of this.pools) pool.close();
    await Promise.resolve();
  }

  /** @throws RpcTimeout, ConnectionLost */
  private async send(
    pool: ConnectionPool,
    ctx: Ctx,
    call: RpcCall<never, unknown>,
    request: unknown,
    timeoutMs: number,
  ): Promise<RpcReply> {
    const deadlineAt = performance.now() + timeoutMs;
    // A read has no effect, so a broken connection under it is worth one more try; a write may have been carried out.
    let repeatsLeft = call.effect === 'read' ? 1 : 0;
    for (let unsent = 0; ;) {
      const leftMs = deadlineAt - performance.now();
      try {
        return await pool.use(leftMs, (connection) =>
          connection.call(call.pattern, { ...ctx, timeoutMs: leftMs }, request),
        );
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        if (error.wasSent && (repeatsLeft -= 1) < 0) throw error;
        if (error.wasSent) continue;
        const pauseMs = PAUSES_MS[unsent];
        if (pauseMs === undefined || performance.now() + pauseMs >= deadlineAt) throw error;
        unsent += 1;
        if (pauseMs > 0) await delay(pauseMs);
      }
    }
  }
}

interface PoolOptions {
  url: URL;
  area: string;
  security: RpcSecurity;
  size: number;
  ageMs: number;
}

class ConnectionPool {
  private readonly slots: Array<CallingConnection | null>;
  /** Calls on each connection; one that is out of use closes with its last. */
  private readonly inFlight = new Map<CallingConnection, number>();
  private next = 0;
  private isTurned = false;

  constructor(private readonly options: PoolOptions) {
    this.slots = new Array<CallingConnection | null>(options.size).fill(null);
  }

  /** @throws RpcTimeout, ConnectionLost */
  async use<T>(timeoutMs: number, work: (connection: CallingConnection) => Promise<T>): Promise<T> {
    const connection = this.take();
    this.inFlight.set(connection, (this.inFlight.get(connection) ?? 0) + 1);
    try {
      return await withDeadline(
        timeoutMs,
        connection.ready.then(() => work(connection)),
      );
    } finally {
      this.inFlight.set(connection, this.inFlight.get(connection)! - 1);
      this.closeWhenLeft(connection);
    }
  }

  close(): void {
    for (const slot of this.slots) slot?.close();
    this.slots.fill(null);
  }

  private take(): CallingConnection {
    this.turn();
    const current = this.slots[this.next];
    if (current && performance.now() - current.openedAt < this.options.ageMs) return current;
    if (current) this.drop(current);
    const { url, area, security } = this.options;
    const connection: CallingConnection = new CallingConnection({
      host: url.hostname,
      port: Number(url.port),
      area,
      security,
      onLeft: () => this.drop(connection),
    });
    return (this.slots[this.next] = connection);
  }

  /** Goes on to the next connection, once per turn of the event loop: calls made in one turn leave as one frame. */
  private turn(): void {
    if (this.isTurned) return;
    this.isTurned = true;
    setImmediate(() => (this.isTurned = false));
    this.next = (this.next + 1) % this.slots.length;
  }

  /** Takes a connection out of use; calls on it may end. */
  private drop(connection: CallingConnection): void {
    const slot = this.slots.indexOf(connection);
    if (slot >= 0) this.slots[slot] = null;
    this.closeWhenLeft(connection);
  }

  private closeWhenLeft(connection: CallingConnection): void {
    if (this.slots.includes(connection) || (this.inFlight.get(connection) ?? 0) > 0) return;
    this.inFlight.delete(connection);
    connection.close();
  }
}

class RpcTimeout extends Error {
  override readonly name = 'RpcTimeout';
}

async function withDeadline<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RpcTimeout(`No answer within ${timeoutMs} ms.`)), timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
