import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  request as send,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressGuard } from './address-guard.js';
import { OutboundError } from './outbound.error.js';

const CONNECT_MS = 10_000;
/** Headers for the proxy itself, which are not forwarded. */
const HOP_BY_HOP = ['proxy-authorization', 'proxy-connection', 'connection', 'keep-alive', 'upgrade'];

/**
 * A proxy on loopback for one browser: all requests of a page's scripts go through it, including WebSockets, frames and
 * redirects, so that {@link AddressGuard} checks each address. It requires a password, so that no other program on the
 * machine can use it.
 */
export class GuardedProxy {
  readonly username = 'browser';
  readonly password = randomBytes(24).toString('base64url');
  private readonly sockets = new Set<Socket>();
  private received = 0;
  /** Refused addresses: host and port. */
  readonly refused: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly guard: AddressGuard,
    private readonly bytesMax: number,
  ) {
    server.on('request', (request, response) => void this.forwardRequest(request, response));
    server.on('connect', (request, socket, head) => void this.tunnelRequest(request, socket, head));
    server.on('connection', (socket) => this.keepSocket(socket));
    server.on('clientError', (_, socket) => socket.destroy());
  }

  /** @param bytesMax of all responses together; beyond it all connections are ended */
  static async open(guard: AddressGuard, bytesMax: number): Promise<GuardedProxy> {
    const server = createServer();
    const proxy = new GuardedProxy(server, guard, bytesMax);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** True if it has ended connections because the byte limit was exceeded. */
  get isSpent(): boolean {
    return this.received > this.bytesMax;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async forwardRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (!this.isKnown(request)) return void response.writeHead(407, CHALLENGE).end();
      const url = this.guard.parseUrl(request.url ?? '');
      if (url.protocol !== 'http:') throw new OutboundError('refused', 'Only plain addresses are forwarded.');
      const socket = await this.connectTo(url.hostname, Number(url.port || 80));
      const headers = Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.includes(name));
      const onward = send({
        createConnection: () => socket,
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers: { ...Object.fromEntries(headers), host: url.host, connection: 'close' },
      });
      onward.on('error', () => response.destroy());
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.on('error', () => response.destroy());
        answer.on('data', (chunk: Buffer) => this.countBytes(chunk.length));
        answer.pipe(response);
      });
      request.on('error', () => onward.destroy());
      request.pipe(onward);
    } catch (error) {
      this.noteFault(request, error);
      if (!response.headersSent) response.writeHead(statusOf(error));
      response.end();
    }
  }

  private async tunnelRequest(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => undefined);
    try {
      if (!this.isKnown(request))
        return void client.end(
          `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${CHALLENGE['proxy-authenticate']}\r\nContent-Length: 0\r\n\r\n`,
        );
      // Tunnels are for https, and for ws:// on the http port.
      const isPlain = request.url!.endsWith(':80');
      const url = this.guard.parseUrl(`${isPlain ? 'http' : 'https'}://${request.url}`);
      const socket = await this.connectTo(url.hostname, Number(url.port || (isPlain ? 80 : 443)));
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) socket.write(head);
      socket.on('close', () => client.destroy());
      client.on('close', () => socket.destroy());
      socket.on('data', (chunk) => this.countBytes(chunk.length));
      socket.pipe(client).pipe(socket);
    } catch (error) {
      this.noteFault(request, error);
      client.end(`HTTP/1.1 ${statusOf(error)} No\r\nContent-Length: 0\r\n\r\n`);
    }
  }

  /** @returns a connection to an address of the host that the guard has checked */
  private async connectTo(hostname: string, port: number): Promise<Socket> {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const [first] = (await this.guard.resolveAt(host, port)).sort((a, b) => a.family - b.family);
    const socket = connect({ host: first!.address, port, timeout: CONNECT_MS });
    socket.on('error', () => socket.destroy());
    this.keepSocket(socket);
    await once(socket, 'connect');
    socket.setTimeout(0);
    return socket;
  }

  private countBytes(bytes: number): void {
    this.received += bytes;
    if (this.isSpent) for (const socket of this.sockets) socket.destroy();
  }

  private keepSocket(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    if (this.isSpent) socket.destroy();
  }

  private isKnown({ headers }: IncomingMessage): boolean {
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    const own = Buffer.from(`Basic ${Buffer.from(`${this.username}:${this.password}`).toString('base64')}`);
    return given.length === own.length && timingSafeEqual(given, own);
  }

  private noteFault({ url = '' }: IncomingMessage, error: unknown): void {
    if (error instanceof OutboundError && error.fault === 'refused') this.refused.push(url);
  }
}

const CHALLENGE = { 'proxy-authenticate': 'Basic realm="browser"' };

function statusOf(error: unknown): number {
  return error instanceof OutboundError && error.fault === 'refused' ? 403 : 502;
}
