import { connect, type Socket } from 'node:net';

/** Result of a held read. */
export interface HeldAnswer {
  /** 0 if the connection broke. */
  status: number;
  /** JSON text; empty if the connection broke. */
  text: string;
  /** Arrival of the last byte, by the wall clock and by the monotonic one. */
  at: number;
  atMs: number;
}

/**
 * Reads that a gateway holds, each on its own connection. It uses sockets with hand-written headers instead of a client
 * library: 2,000 clients would keep a core busy for a second, in the very second that is measured.
 */
export class HeldReads {
  private readonly sockets: Socket[] = [];

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  /** Sends a request for each path. @returns the pending responses, once all requests are sent */
  async ask(paths: readonly string[]): Promise<Array<Promise<HeldAnswer>>> {
    const reads = paths.map((path) => this.read(path));
    await Promise.all(reads.map(({ sent }) => sent));
    return reads.map(({ answer }) => answer);
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private read(path: string): { sent: Promise<void>; answer: Promise<HeldAnswer> } {
    const { hostname, port, host } = new URL(this.baseUrl);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.sockets.push(socket);
    const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${this.apiKey}\r\n\r\n`;
    const sent = new Promise<void>((resolve) => {
      socket.once('connect', () => socket.write(head, () => resolve())).once('close', () => resolve());
    });
    const answer = new Promise<HeldAnswer>((resolve) => {
      let bytes = '';
      socket.setEncoding('latin1').on('data', (piece: string) => {
        bytes += piece;
        if (isWhole(bytes)) socket.destroy();
      });
      socket.on('error', () => undefined);
      socket.once('close', () =>
        resolve({ ...(isWhole(bytes) ? parsed(bytes) : BROKEN), at: Date.now(), atMs: performance.now() }),
      );
    });
    return { sent, answer };
  }
}

const BROKEN = { status: 0, text: '' };

function isWhole(bytes: string): boolean {
  const bodyAt = bytes.indexOf('\r\n\r\n') + 4;
  if (bodyAt < 4) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.slice(0, bodyAt))?.[1];
  return length !== undefined && bytes.length >= bodyAt + Number(length);
}

function parsed(bytes: string): { status: number; text: string } {
  const text = Buffer.from(bytes.slice(bytes.indexOf('\r\n\r\n') + 4), 'latin1').toString();
  return { status: Number(bytes.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)), text };
}
