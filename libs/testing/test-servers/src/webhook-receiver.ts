import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received message. */
export interface ReceivedWebhook {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Arrival of its last byte, in milliseconds of the process's monotonic clock. */
  at: number;
}

/** Responds to one message, or leaves it without a response. */
export type WebhookReply = (response: ServerResponse, message: ReceivedWebhook) => void;

/** Responds with a status and nothing else. */
export function status(code: number, headers: Record<string, string> = {}): WebhookReply {
  return (response) => void response.writeHead(code, headers).end();
}

/** A server that records messages. It responds with 204 by default. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  reply: WebhookReply = status(204);

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url: path = '/', method = 'GET', headers } = request;
        const body = Buffer.concat(chunks).toString('utf8');
        const message = { method, path, headers, body, at: performance.now() };
        receiver.received.push(message);
        receiver.reply(response, message);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Returns `host:port` for FETCH_ALLOW_HOSTS. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** @returns a URL on this server */
  url(path = '/'): string {
    return `http://${this.host}${path}`;
  }

  /** @returns ids of the messages that arrived at a path, in order */
  idsAt(path: string): string[] {
    return this.received
      .filter((message) => message.path === path)
      .map(({ headers }) => String(headers['webhook-id']));
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
