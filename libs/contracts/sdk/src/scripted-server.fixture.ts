import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: any;
}
export type Reply = (response: ServerResponse, request: ReceivedRequest) => void;

/** Server with scripted responses; the last one is repeated. */
export class ScriptedServer {
  readonly requests: ReceivedRequest[] = [];
  private replies: Reply[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedServer> {
    const server = createServer();
    const scripted = new ScriptedServer(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void scripted.answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  play(...replies: Reply[]): void {
    this.replies = replies;
    this.requests.length = 0;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString();
    const { method = '', url = '', headers } = request;
    const received = { method, url, headers, body: text === '' ? undefined : JSON.parse(text) };
    this.requests.push(received);
    const reply = this.replies.length > 1 ? this.replies.shift()! : this.replies[0]!;
    reply(response, received);
  }
}

/** Responds with JSON. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers })
      .end(JSON.stringify(body));
}

/** Responds with an error envelope of the API. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}): Reply {
  return json(
    { error: { code, message: `It says ${code}.`, details: [{ path: 'prompt' }] } },
    status,
    headers,
  );
}

/** Breaks the connection, before the response or within its body. */
export const cut: Reply = (response) => void response.socket!.destroy();
export const cutBody: Reply = (response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{"id":');
  setImmediate(() => response.socket!.destroy());
};
/** Sends headers and the start of a body, and then nothing more. */
export const stall: Reply = (response) => void response.writeHead(200).write('{');
