import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '@quarry/local-postgres';
import type { Ctx } from '@quarry/app';
import type { DeclaredCalls, DeclaredCallsServer } from './declared-calls.server.js';
import type { RpcSecurity } from './rpc-security.js';
import { TcpRpcServer, type TcpRpcServerOptions } from './tcp-rpc.server.js';

export const SECRET = 's'.repeat(32);
export const SIGNED: RpcSecurity = { secrets: [SECRET], tls: null };

/** Declared calls and their handlers. */
export interface AnsweredCalls {
  api: DeclaredCalls;
  handlers: Readonly<Record<string, (ctx: Ctx, request: never) => Promise<unknown>>>;
}

/** Adds handlers to a server, as Nest does for those of a controller, and starts listening. */
export async function listening<Server extends DeclaredCallsServer>(
  server: Server,
  { api, handlers }: AnsweredCalls,
): Promise<Server> {
  for (const [name, answer] of Object.entries(handlers))
    server.addHandler(api[name]!.pattern, (request, ctx) => answer(ctx as Ctx, request as never));
  await new Promise<void>((resolve, reject) =>
    server.listen((error) => (error ? reject(error as Error) : resolve())),
  );
  return server;
}

/** A listening server with its unexpected errors and refusals. */
export interface Served {
  server: TcpRpcServer;
  port: number;
  unexpectedErrors: unknown[];
  refusals: string[];
}

export async function serve(
  set: AnsweredCalls,
  security: RpcSecurity = SIGNED,
  options: Partial<Pick<TcpRpcServerOptions, 'unfinishedBytesMax' | 'host' | 'port' | 'onRefused'>> = {},
): Promise<Served> {
  const port = options.port ?? (await freePort());
  const unexpectedErrors: unknown[] = [];
  const refusals: string[] = [];
  const server = new TcpRpcServer({
    host: '127.0.0.1',
    apis: [set.api],
    security,
    ...options,
    port,
    onUnexpectedError: (error) => unexpectedErrors.push(error),
    onRefused: (caller) => {
      refusals.push(caller.why);
      options.onRefused?.(caller);
    },
  });
  await listening(server, set);
  return { server, port, unexpectedErrors, refusals };
}

/** Proxy in front of a server that a spec can disconnect, and that records what callers send. */
export interface RecordingProxy {
  url: string;
  /** Chunks sent by the caller of each connection, in order. The first chunk is the introduction. */
  sent: Buffer[][];
  close(): void;
}

/** @param onSent receives each chunk of a caller; true withholds it from the server and breaks the connection */
export async function startRecordingProxy(
  port: number,
  onSent: (piece: Buffer, nth: number) => boolean = () => false,
): Promise<RecordingProxy> {
  const sent: Buffer[][] = [];
  const sockets: Socket[] = [];
  const proxy = createServer((caller) => {
    const server = connect(port, '127.0.0.1');
    const pieces: Buffer[] = [];
    sent.push(pieces);
    sockets.push(caller, server);
    for (const [socket, other] of [
      [caller, server],
      [server, caller],
    ] as const)
      socket.on('error', () => undefined).once('close', () => other.destroy());
    server.on('data', (piece) => caller.write(piece));
    caller.on('data', (piece: Buffer) => {
      pieces.push(piece);
      if (onSent(piece, pieces.length)) caller.destroy();
      else server.write(piece);
    });
  });
  const listening = await freePort();
  await new Promise<void>((resolve) => proxy.listen(listening, '127.0.0.1', resolve));
  return {
    url: `tcp://127.0.0.1:${listening}`,
    sent,
    close: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}
