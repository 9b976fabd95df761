import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import { HttpSite, listenLocally } from './http-site.js';

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
export class WebhookReceiver extends HttpSite {
  readonly received: ReceivedWebhook[] = [];
  reply: WebhookReply = status(204);

  private constructor(server: Server) {
    super(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url: path = '/', method = 'GET', headers } = request;
        const body = Buffer.concat(chunks).toString('utf8');
        const message = { method, path, headers, body, at: performance.now() };
        this.received.push(message);
        this.reply(response, message);
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    return new WebhookReceiver(await listenLocally());
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
}
