import { createServer as createTcpServer, type Server as NetServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { AppError } from '@quarry/error-codes';
import { AnsweringConnection } from './answering-connection.js';
import { mutualTls } from './calling-connection.js';
import { DeclaredCallsServer, type DeclaredCalls } from './declared-calls.server.js';
import { FrameBudget } from './frame-budget.js';
import { FRAME_BYTES_MAX } from './frame-reader.js';
import type { RefusedCaller } from './refused-callers.js';
import type { RpcSecurity } from './rpc-security.js';
import { areaOf, replyOfError, type RpcCallMessage, type RpcReply } from './rpc-wire.js';

export interface TcpRpcServerOptions {
  host: string;
  port: number;
  /** Calls that this process answers. */
  apis: readonly DeclaredCalls[];
  /** Credentials of the permitted callers. */
  security: RpcSecurity;
  /** Milliseconds that a stop waits for running calls; a stop cuts them off when left out. */
  drainMs?: number;
  /** Ends that wait when it fires. */
  force?: AbortSignal;
  /** Told of every unexpected error (not of refusals), with the request id it belongs to. */
  onUnexpectedError: (error: unknown, pattern: string, requestId: string) => void;
  /** Is given every connection that is refused. */
  onRefused?: (caller: RefusedCaller) => void;
  /** Bytes of unfinished large frames that are kept at once; enough for one of the largest when left out. */
  unfinishedBytesMax?: number;
}

/** Two imports of the largest size at once; small frames beside them need no room of it. */
const UNFINISHED_BYTES_MAX = FRAME_BYTES_MAX;
/** Many more than all processes of an installation open at a rollout, few enough to hold no memory. */
const UNAUTHENTICATED_MAX = 1000;

/**
 * Answers declared calls over TCP: the strategy of a Nest microservice. Nest's own TCP server believes whoever connects
 * and keeps whatever they send, and its close cuts off what callers have just sent; so the connections are our own.
 */
export class TcpRpcServer extends DeclaredCallsServer {
  private readonly areas: ReadonlySet<string>;
  private readonly budget: FrameBudget;
  private readonly server: NetServer;
  private readonly connections = new Set<AnsweringConnection>();
  /** Sockets that have not introduced themselves, by the other end's address; those in a TLS handshake too. */
  private readonly unauthenticated = new Map<string, Socket>();
  private onClosed: (() => void) | null = null;

  /** @throws Error when certificate and key do not fit */
  constructor(private readonly rpc: TcpRpcServerOptions) {
    super(rpc.apis);
    this.budget = new FrameBudget(rpc.unfinishedBytesMax ?? UNFINISHED_BYTES_MAX);
    this.areas = new Set([...this.patterns].map(areaOf));
    const { tls } = rpc.security;
    const meet = (socket: Socket): void => this.meetSocket(socket);
    this.server = tls ? createTlsServer(mutualTls(tls), meet) : createTcpServer(meet);
    this.server.on('connection', (socket: Socket) => this.countSocket(socket));
    this.server.on('tlsClientError', (error: Error, { remoteAddress = '' }: Socket) =>
      rpc.onRefused?.({
        stage: 'certificate',
        why: `its certificate is not accepted (${error.message})`,
        address: remoteAddress,
      }),
    );
  }

  protected override open(callback: (error?: unknown) => void): void {
    this.server.once('error', callback);
    this.server.listen(this.rpc.port, this.rpc.host, () => {
      this.server.off('error', callback);
      callback();
    });
  }

  /** Drains as the options say, then cuts off everybody. Nest calls it before the shutdown hooks of the providers. */
  override async close(): Promise<void> {
    const { drainMs, force } = this.rpc;
    if (drainMs !== undefined) await this.drain(drainMs, force);
    this.server.close();
    for (const socket of this.unauthenticated.values()) socket.destroy();
    for (const connection of this.connections) connection.destroy();
  }

  /**
   * Stops listening, tells every caller to go elsewhere, answers what they have sent and what they send until they have
   * heard of it, and waits until they have closed.
   * @param graceMs the longest wait
   * @param force ends the wait when it fires
   */
  async drain(graceMs: number, force?: AbortSignal): Promise<void> {
    this.server.close();
    for (const connection of this.connections) connection.leave();
    for (const socket of this.unauthenticated.values()) socket.destroy();
    if (this.connections.size === 0 || force?.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      force?.addEventListener('abort', () => resolve(), { once: true });
      this.onClosed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  override on(event: never, callback: never): void {
    this.server.on(event, callback);
  }

  override unwrap<T>(): T {
    return this.server as T;
  }

  private countSocket(socket: Socket): void {
    if (this.unauthenticated.size >= UNAUTHENTICATED_MAX) {
      const why = 'too many are introducing themselves';
      this.rpc.onRefused?.({ stage: 'limit', why, address: socket.remoteAddress ?? '' });
      return void socket.destroy();
    }
    const end = endOf(socket);
    this.unauthenticated.set(end, socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.unauthenticated.delete(end));
  }

  private meetSocket(socket: Socket): void {
    if (socket.destroyed) return;
    const [address, end] = [socket.remoteAddress ?? '', endOf(socket)];
    const connection = new AnsweringConnection(socket, {
      secrets: this.rpc.security.secrets,
      areas: this.areas,
      budget: this.budget,
      answer: (call) => this.replyTo(call),
      onRefused: (stage, why) => this.rpc.onRefused?.({ stage, why, address }),
      onIntroduced: () => this.unauthenticated.delete(end),
    });
    this.connections.add(connection);
    socket.once('close', () => {
      this.connections.delete(connection);
      if (this.connections.size === 0) this.onClosed?.();
    });
  }

  private async replyTo({ pattern, ctx, request }: RpcCallMessage): Promise<RpcReply> {
    try {
      return { value: await this.answer(pattern, ctx, request) };
    } catch (error) {
      if (!(error instanceof AppError)) this.rpc.onUnexpectedError(error, pattern, ctx.requestId);
      return replyOfError(error);
    }
  }
}

/** The same for a TCP socket and for the one of TLS above it. */
function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}
