import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Ctx } from '@quarry/app';
import { FrameReader } from './frame-reader.js';
import { FrameWriter } from './frame-writer.js';
import { GREETING_BYTES, answerGreeting, WELCOME_BYTES, type Session } from './rpc-handshake.js';
import type { RpcSecurity, RpcTls } from './rpc-security.js';
import {
  detachLongText,
  replyWith,
  type RpcAnswerMessage,
  type RpcCallMessage,
  type RpcLeavingMessage,
  type RpcReply,
} from './rpc-wire.js';
import { SocketBackpressure } from './socket-backpressure.js';

/** Milliseconds to connect and to be welcomed: a few round trips within one network. */
const OPENING_MS = 3_000;
/** Milliseconds that a closed connection waits for its open calls. */
const CLOSING_MS = 5_000;

/** The connection broke under a call. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  /** @param wasSent whether the other end may have received the call: false is certain, true is a guess */
  constructor(
    readonly wasSent: boolean,
    cause: unknown,
  ) {
    super('The connection broke.', { cause });
  }
}

export interface CallingOptions {
  host: string;
  port: number;
  /** The host as the operator has configured it, which its certificate must name. */
  name: string;
  area: string;
  security: RpcSecurity;
  /** Called once, when the other end stops or is gone: no further call should begin here. */
  onLeft: () => void;
}

interface OpenCall {
  wasSent: boolean;
  resolve: (reply: RpcReply) => void;
  reject: (error: ConnectionLost) => void;
}

/** Calling end of a connection. It connects by itself, carries any number of concurrent calls, and fails once. */
export class CallingConnection {
  readonly openedAt = performance.now();
  /** Resolves when calls can be sent. */
  readonly ready: Promise<void>;
  private readonly socket: Socket;
  private readonly calls = new Map<number, OpenCall>();
  private received: Buffer = Buffer.alloc(0);
  private check: ((welcome: Buffer) => Session | null) | null = null;
  private session: { reader: FrameReader; writer: FrameWriter } | null = null;
  private welcomed: () => void = () => undefined;
  private turnedAway: (error: ConnectionLost) => void = () => undefined;
  private lastId = 0;
  private fault: Error | null = null;
  private isClosing = false;

  constructor(private readonly options: CallingOptions) {
    this.ready = new Promise((resolve, reject) => {
      this.welcomed = resolve;
      this.turnedAway = reject;
    });
    // Waiting callers get the failure; without any it must not become an unhandled rejection.
    this.ready.catch(() => undefined);
    this.socket = socketTo(options);
    const timer = setTimeout(() => this.failCalls('It does not answer.'), OPENING_MS);
    void this.ready.finally(() => clearTimeout(timer)).catch(() => undefined);
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk: Buffer) =>
      this.session ? this.session.reader.push(chunk) : this.introduceSelf(chunk),
    );
    this.socket.on('error', (error) => (this.fault = error));
    this.socket.on('close', () => this.loseConnection());
  }

  /** True when a call would be sent at once. */
  get isReady(): boolean {
    return this.session !== null && !this.socket.destroyed;
  }

  /** @throws ConnectionLost */
  call(pattern: string, ctx: Ctx, request: unknown): Promise<RpcReply> {
    const id = (this.lastId += 1);
    return new Promise((resolve, reject) => {
      const call: OpenCall = { wasSent: false, resolve, reject };
      if (this.socket.destroyed || !this.session) return reject(new ConnectionLost(false, this.reason));
      this.calls.set(id, call);
      if (this.sendCall({ id, pattern, ctx, request, takesAttached: true }, () => (call.wasSent = true)))
        return;
      this.calls.delete(id);
      reject(new RangeError('The call is too large.'));
    });
  }

  /** Closes the connection after its open calls, or after a moment: their callers have given up by then. */
  close(): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.session?.writer.flush();
    this.socket.end();
    setTimeout(() => this.socket.destroy(), CLOSING_MS).unref();
  }

  private sendCall(call: RpcCallMessage, onSent: () => void): boolean {
    const { writer } = this.session!;
    const parts = detachLongText(call.request);
    if (!parts) return writer.write(JSON.stringify(call), onSent);
    const { field, text, rest } = parts;
    return writer.writeWithContent(JSON.stringify({ ...call, request: rest, attached: field }), text, onSent);
  }

  private introduceSelf(chunk: Buffer): void {
    this.received = Buffer.concat([this.received, chunk]);
    if (!this.check && this.received.length >= GREETING_BYTES) {
      const { area, security } = this.options;
      const made = answerGreeting(this.received.subarray(0, GREETING_BYTES), area, security.secrets);
      if (!made) return this.failCalls('It does not sign calls as this process does.');
      this.check = made.check;
      this.socket.write(made.bytes);
      this.received = this.received.subarray(GREETING_BYTES);
    }
    if (!this.check || this.received.length < WELCOME_BYTES) return;
    const session = this.check(this.received.subarray(0, WELCOME_BYTES));
    if (!session) return this.failCalls('It does not know the secret.');
    this.beginSession(session);
    this.session!.reader.push(this.received.subarray(WELCOME_BYTES));
  }

  private beginSession({ incoming, outgoing }: Session): void {
    const reader = new FrameReader(new SocketBackpressure(this.socket), {
      seal: incoming,
      budget: null,
      onMessages: (messages, content) => {
        for (const message of messages)
          this.takeMessage(message as RpcAnswerMessage | RpcLeavingMessage, content);
      },
      onError: (error) => this.failCalls(error.message),
    });
    this.session = { reader, writer: new FrameWriter(this.socket, outgoing) };
    this.welcomed();
  }

  private takeMessage(message: RpcAnswerMessage | RpcLeavingMessage, content: Buffer | null): void {
    if ('leaving' in message) return this.options.onLeft();
    const call = this.calls.get(message.id);
    this.calls.delete(message.id);
    call?.resolve(replyWith(message, content));
  }

  private get reason(): Error {
    const isIntroduced = this.check !== null && this.session === null;
    const closed = isIntroduced
      ? 'The other end closed the connection instead of welcoming this process: either it is stopping, or RPC_SECRETS differ, as its log says.'
      : 'The other end closed the connection.';
    return this.fault ?? new Error(closed);
  }

  private failCalls(why: string): void {
    this.fault = new Error(why);
    this.socket.destroy();
  }

  private loseConnection(): void {
    this.options.onLeft();
    this.session?.reader.close();
    this.turnedAway(new ConnectionLost(false, this.reason));
    for (const { reject, wasSent } of this.calls.values()) reject(new ConnectionLost(wasSent, this.reason));
    this.calls.clear();
  }
}

function socketTo({ host, port, name, security: { tls } }: CallingOptions): Socket {
  if (!tls) return connectTcp({ host, port });
  return connectTls({ host, port, ...mutualTls(tls), ...(isIP(name) ? {} : { servername: name }) });
}

/** @returns the TLS options that both ends share */
export function mutualTls(tls: RpcTls) {
  return { ...tls, minVersion: 'TLSv1.3', requestCert: true, rejectUnauthorized: true } as const;
}
