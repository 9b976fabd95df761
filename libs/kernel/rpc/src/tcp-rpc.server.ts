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
  /** Credentials of permitted callers. */
  security: RpcSecurity;
  /** Milliseconds that a stop waits for open calls; without it a stop cuts them off. */
  drainMs?: number;
  /** Ends that wait when it is aborted. */
  force?: AbortSignal;
  /** Called for every unexpected error (not for refusals), with the id of its request. */
  onUnexpectedError: (error: unknown, pattern: string, requestId: string) => void;
  /** Ends that wait when aborted. */
  onRefused?: (caller: RefusedCaller) => void;
  /** Bytes that unfinished large frames may occupy together; by default enough for one of the largest. */
  unfinishedBytesMax?: number;
}

/** Two imports of the largest size at once; small frames are not counted. */
const UNFINISHED_BYTES_MAX = FRAME_BYTES_MAX;
/** Far more than all processes of an installation open during a rollout, and few enough to take little memory. */
const UNAUTHENTICATED_MAX = 1000;

/**
 * Answers declared calls over TCP, as the transport of a Nest microservice. Nest's own TCP server accepts every caller, buffers
 * whatever it sends, and cuts off calls when it closes; so we have our own connections.
 */
export class TcpRpcServer extends DeclaredCallsServer {
  private readonly areas: ReadonlySet<string>;
  private readonly budget: FrameBudget;
  private readonly server: NetServer;
  private readonly connections = new Set<AnsweringConnection>();
  /** Sockets without a valid introduction, by the other end's address, including those in a TLS handshake. */
  private readonly unauthenticated = new Map<string, Socket>();
  private onClosed: (() => void) | null = null;

  /** @throws Error when certificate and key do not match */
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

  /** Drains as configured, then disconnects all callers. Nest calls it before the shutdown hooks of providers. */
  override async close(): Promise<void> {
    const { drainMs, force } = this.rpc;
    if (drainMs !== undefined) await this.drain(drainMs, force);
    this.server.close();
    for (const socket of this.unauthenticated.values()) socket.destroy();
    for (const connection of this.connections) connection.destroy();
  }

  /**
   * Stops listening, tells every caller to leave, answers all calls that still arrive, and waits until the callers have closed.
   * @param graceMs the longest wait, in milliseconds
   * @param force ends the wait when it is aborted
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

/** Works for a TCP socket and for the TLS socket on top of it. */
function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}
