import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** @returns an HTTP server that listens on this machine, by default at its usual loopback address alone */
export async function listenLocally(
  answer?: RequestListener,
  port = 0,
  address = '127.0.0.1',
): Promise<Server> {
  const server = createServer(answer).listen(port, address);
  await once(server, 'listening');
  return server;
}

/** An HTTP server on this machine. */
export class HttpSite {
  readonly port: number;

  protected constructor(private readonly server: Server) {
    this.port = (server.address() as AddressInfo).port;
  }

  /** @param port a free one by default */
  static async open(answer: RequestListener, port = 0): Promise<HttpSite> {
    return new HttpSite(await listenLocally(answer, port));
  }

  /** Returns `host:port` for FETCH_ALLOW_HOSTS. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
