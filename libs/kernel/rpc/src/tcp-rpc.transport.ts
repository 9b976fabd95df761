import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@quarry/error-codes';
import { inSpan, isTracing, traceparent } from '@quarry/tracing';
import type { Ctx } from '@quarry/app';
import { type CallingConnection, ConnectionLost } from './calling-connection.js';
import { ConnectionPool } from './connection-pool.js';
import { PeerList, type ResolveName } from './peer-list.js';
import type { RpcSecurity } from './rpc-security.js';
import type { Reach, RpcCall, RpcTransport } from './rpc-transport.js';
import { areaOf, type RpcReply } from './rpc-wire.js';
import { unavailableError } from './unavailable.js';

export interface TcpRpcOptions {
  /** By area, such as `tables.`: `tcp://host:port`, or several, comma-separated. A name may have several addresses. */
  upstreams: Readonly<Record<string, string>>;
  /** Credentials that this process shows, and expects to see. */
  security: RpcSecurity;
  connectionsPerUpstream?: number;
  /** Age in milliseconds at which connections are replaced, so that new replicas behind one address get their share. */
  connectionAgeMs?: number;
  /** Milliseconds until names are resolved again and connections are balanced. */
  refreshMs?: number;
  /** Defaults to the system's resolver. */
  resolve?: ResolveName;
}

/** Time limit of probes, whose callers usually give up after a few seconds. */
const REACH_MS = 1_500;

// There may be several processes behind one address, and one of them may just have stopped. An unsent call, even a write, can
// safely be sent to another; after a third of a second there is none.
const PAUSES_MS = [0, 20, 40, 80, 160] as const;

/** Calls over TCP: a few connections per upstream, and a deadline for every call. */
export class TcpRpcTransport implements RpcTransport {
  private readonly pools: Array<{ prefix: string; pool: ConnectionPool }>;

  constructor(options: TcpRpcOptions) {
    const { security, connectionsPerUpstream = 4, connectionAgeMs = 60_000, refreshMs = 5_000 } = options;
    this.pools = Object.entries(options.upstreams).map(([prefix, upstream]) => ({
      prefix,
      pool: new ConnectionPool({
        peers: new PeerList(upstream, options.resolve, refreshMs),
        area: areaOf(prefix),
        security,
        size: connectionsPerUpstream,
        ageMs: connectionAgeMs,
        balanceMs: refreshMs,
      }),
    }));
  }

  call<Request, Response>(ctx: Ctx, call: RpcCall<Request, Response>, request: Request): Promise<Response> {
    if (!isTracing()) return this.sendCall(ctx, call, request);
    const facts = { 'rpc.system': 'quarry', 'rpc.method': call.pattern };
    return inSpan('client', call.pattern, facts, () => {
      const at = traceparent();
      return this.sendCall(at === null ? ctx : { ...ctx, traceparent: at }, call, request);
    });
  }

  private async sendCall<Request, Response>(
    ctx: Ctx,
    call: RpcCall<Request, Response>,
    request: Request,
  ): Promise<Response> {
    const target = this.pools.find(({ prefix }) => call.pattern.startsWith(prefix));
    if (!target) throw new Error(`No upstream serves ${call.pattern}.`);
    const timeoutMs = Math.min(call.timeoutMs, ctx.timeoutMs ?? call.timeoutMs);
    const reply = await this.useConnection<RpcReply>(
      target.pool,
      call.effect,
      timeoutMs,
      (connection, leftMs) => connection.call(call.pattern, { ...ctx, timeoutMs: leftMs }, request),
    ).catch((error: unknown) => {
      throw unavailableError(call.pattern, 'unreachable', error);
    });
    if (reply.error) throw AppError.deserialize(reply.error);
    return reply.value as Response;
  }

  async reach(): Promise<Reach> {
    const pings = await Promise.allSettled(
      this.pools.map(({ pool }) => this.useConnection(pool, 'read', REACH_MS, () => Promise.resolve())),
    );
    const areas = (status: string) =>
      this.pools.filter((_, i) => pings[i]!.status === status).map(({ prefix }) => areaOf(prefix));
    return { reached: areas('fulfilled'), missing: areas('rejected') };
  }

  async close(): Promise<void> {
    for (const { pool } of this.pools) pool.close();
    await Promise.resolve();
  }

  /** @throws RpcTimeout, ConnectionLost */
  private async useConnection<T>(
    pool: ConnectionPool,
    effect: RpcCall<never, unknown>['effect'],
    timeoutMs: number,
    work: (connection: CallingConnection, leftMs: number) => Promise<T>,
  ): Promise<T> {
    const deadlineAt = performance.now() + timeoutMs;
    // A read has no effect, so it is retried once on a broken connection; a write may have been carried out.
    let repeatsLeft = effect === 'read' ? 1 : 0;
    for (let unsent = 0; ;) {
      const leftMs = deadlineAt - performance.now();
      try {
        return await pool.use(leftMs, (connection) => work(connection, leftMs));
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
