import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as it came. */
export interface ReceivedWebhook {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Time of its last byte, in milliseconds of the process's monotonic clock. */
  at: number;
}

/** Answers one message, or leaves it without an answer. */
export type WebhookReply = (response: ServerResponse, message: ReceivedWebhook) => void;

/** Answers with a status and nothing else. */
export function status(code: number, headers: Record<string, string> = {}): WebhookReply {
  return (response) => void response.writeHead(code, headers).end();
}

/** A server that takes messages and keeps them. It answers 204 unless it is told otherwise. */
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

  /** As FETCH_ALLOW_HOSTS wants it. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** @returns an address of this server */
  url(path = '/'): string {
    return `http://${this.host}${path}`;
  }

  /** @returns ids of the messages that came to a path, in their order */
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
