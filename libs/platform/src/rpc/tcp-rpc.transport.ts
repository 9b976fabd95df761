import { ClientTCP } from '@nestjs/microservices';
import { AppError } from '@quarry/error-codes';
import { firstValueFrom } from 'rxjs';
import type { Ctx } from '../context/ctx.js';
import { CallSocket } from './gathering.sockets.js';
import type { RpcCall, RpcTransport } from './rpc-transport.js';
import type { RpcReply } from './rpc-wire.js';
import { unavailable } from './unavailable.js';

export interface TcpRpcOptions {
  /** Pattern prefix (`tables.`) to `tcp://host:port`. */
  upstreams: Readonly<Record<string, string>>;
  connectionsPerUpstream?: number;
  /** Connections are replaced at this age, so that new replicas behind the same name get their share. */
  connectionAgeMs?: number;
}

interface Connection {
  client: ClientTCP;
  openedAt: number;
  inFlight: number;
  retired: boolean;
}

/** Calls over Nest's TCP transport: a few connections per upstream, a deadline on every call. */
export class TcpRpcTransport implements RpcTransport {
  private readonly pools: Array<{ prefix: string; pool: ConnectionPool }>;

  constructor(options: TcpRpcOptions) {
    const { connectionsPerUpstream = 4, connectionAgeMs = 60_000 } = options;
    this.pools = Object.entries(options.upstreams).map(([prefix, url]) => ({
      prefix,
      pool: new ConnectionPool(new URL(url), connectionsPerUpstream, connectionAgeMs),
    }));
  }

  async call<Request, Response>(
    ctx: Ctx,
    call: RpcCall<Request, Response>,
    request: Request,
  ): Promise<Response> {
    const target = this.pools.find(({ prefix }) => call.pattern.startsWith(prefix));
    if (!target) throw new Error(`No upstream serves ${call.pattern}.`);
    // A read has no effect, so a broken connection under it is worth one more try; a write may have been carried out.
    const tries = call.effect === 'read' ? 2 : 1;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.send<Response>(target.pool, ctx, call, request);
      } catch (error) {
        if (error instanceof AppError) throw error;
        if (attempt < tries && !(error instanceof RpcTimeout)) continue;
        throw unavailable(call.pattern, 'unreachable', error);
      }
    }
  }

  async close(): Promise<void> {
    for (const { pool } of this.pools) pool.close();
    await Promise.resolve();
  }

  private async send<Response>(
    pool: ConnectionPool,
    ctx: Ctx,
    call: RpcCall<never, unknown>,
    request: unknown,
  ): Promise<Response> {
    const timeoutMs = Math.min(call.timeoutMs, ctx.timeoutMs ?? call.timeoutMs);
    const reply = await pool.use((client) =>
      withDeadline(
        timeoutMs,
        firstValueFrom(client.send<RpcReply>(call.pattern, { ctx: { ...ctx, timeoutMs }, request })),
      ),
    );
    if (reply.error) throw AppError.deserialize(reply.error);
    return reply.value as Response;
  }
}

class ConnectionPool {
  private readonly slots: Array<Connection | null>;
  private next = 0;
  private isTurned = false;

  constructor(
    private readonly url: URL,
    size: number,
    private readonly ageMs: number,
  ) {
    this.slots = new Array<Connection | null>(size).fill(null);
  }

  async use<T>(work: (client: ClientTCP) => Promise<T>): Promise<T> {
    const connection = this.take();
    connection.inFlight += 1;
    try {
      await connection.client.connect();
      return await work(connection.client);
    } catch (error) {
      if (!(error instanceof RpcTimeout)) this.drop(connection);
      throw error;
    } finally {
      connection.inFlight -= 1;
      if (connection.retired && connection.inFlight === 0) connection.client.close();
    }
  }

  close(): void {
    for (const slot of this.slots) slot?.client.close();
    this.slots.fill(null);
  }

  private take(): Connection {
    this.turn();
    const current = this.slots[this.next];
    if (current && performance.now() - current.openedAt < this.ageMs) return current;
    if (current) this.drop(current);
    const client = new ClientTCP({
      host: this.url.hostname,
      port: Number(this.url.port),
      socketClass: CallSocket,
    });
    // A refused connection is answered to the caller; the transport's own error log would repeat it.
    client.on('error', () => undefined);
    return (this.slots[this.next] = { client, openedAt: performance.now(), inFlight: 0, retired: false });
  }

  /** Goes on to the next connection, once per turn of the event loop: calls made in one turn leave as one write. */
  private turn(): void {
    if (this.isTurned) return;
    this.isTurned = true;
    setImmediate(() => (this.isTurned = false));
    this.next = (this.next + 1) % this.slots.length;
  }

  /** Takes a connection out of use; calls on it may end. */
  private drop(connection: Connection): void {
    connection.retired = true;
    const slot = this.slots.indexOf(connection);
    if (slot >= 0) this.slots[slot] = null;
    if (connection.inFlight === 0) connection.client.close();
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
