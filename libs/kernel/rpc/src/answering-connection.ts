import type { Socket } from 'node:net';
import type { FrameBudget } from './frame-budget.js';
import { FrameReader } from './frame-reader.js';
import { FrameWriter } from './frame-writer.js';
import { createGreeting, INTRODUCTION_BYTES, checkIntroduction, type Session } from './rpc-handshake.js';
import { areaOf, attachedTo, detachAnswer, type RpcCallMessage, type RpcReply } from './rpc-wire.js';
import { SocketBackpressure } from './socket-backpressure.js';

/** Milliseconds for an introduction to arrive completely, which is two packets. */
const INTRODUCTION_MS = 5_000;
/** Milliseconds. A caller without open calls closes at once when told to leave; one that is silent for this long is gone. */
const LEAVING_MS = 5_000;

export interface AnsweringOptions {
  secrets: readonly string[];
  areas: ReadonlySet<string>;
  budget: FrameBudget;
  /** Never rejects. */
  answer: (call: RpcCallMessage) => Promise<RpcReply>;
  onRefused: (stage: 'introduction' | 'session', why: string) => void;
  onIntroduced: () => void;
}

/**
 * Answering end of a connection.
 *
 * introducing ── signature is valid ──> serving ── leave() ──> leaving ── the caller closes ──> closed
 *
 * Before the signature is verified nothing is parsed, and at most the length of an introduction is buffered.
 */
export class AnsweringConnection {
  private readonly backpressure: SocketBackpressure;
  private readonly sent: Buffer;
  private received: Buffer = Buffer.alloc(0);
  private readonly introductionTimer: NodeJS.Timeout;
  private serving: { area: string; reader: FrameReader; writer: FrameWriter } | null = null;
  private callsInHand = 0;
  private isLeaving = false;
  private silence: NodeJS.Timeout | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly options: AnsweringOptions,
  ) {
    this.backpressure = new SocketBackpressure(socket);
    this.sent = createGreeting(options.secrets);
    this.introductionTimer = setTimeout(
      () => this.refusePeer('it took too long to introduce itself'),
      INTRODUCTION_MS,
    );
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) =>
      this.serving ? this.serving.reader.push(chunk) : this.handshake(chunk),
    );
    socket.on('drain', () => this.backpressure.open('answers'));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.forgetPeer());
    socket.write(this.sent);
  }

  /** Tells the caller to use another connection. A caller that has not introduced itself has no open calls, and is disconnected. */
  leave(): void {
    if (this.isLeaving) return;
    this.isLeaving = true;
    if (!this.serving) return this.end();
    this.serving.writer.write('{"leaving":true}');
    this.serving.writer.flush();
    this.awaitSilence();
  }

  end(): void {
    this.serving?.writer.flush();
    this.socket.destroySoon();
  }

  destroy(): void {
    this.socket.destroy();
  }

  private handshake(chunk: Buffer): void {
    this.received = Buffer.concat([this.received, chunk]);
    // A caller that sends more than an introduction before the welcome speaks another protocol.
    if (this.received.length > INTRODUCTION_BYTES) return this.refusePeer('it does not speak this protocol');
    if (this.received.length < INTRODUCTION_BYTES) return;
    const introduction = checkIntroduction(
      this.sent,
      this.received,
      this.options.secrets,
      this.options.areas,
    );
    if (typeof introduction === 'string') return this.refusePeer(introduction);
    clearTimeout(this.introductionTimer);
    this.received = Buffer.alloc(0);
    this.socket.write(introduction.welcome);
    this.serveSession(introduction.session);
    this.options.onIntroduced();
  }

  private serveSession({ area, incoming, outgoing }: Session): void {
    const reader = new FrameReader(this.backpressure, {
      seal: incoming,
      budget: this.options.budget,
      onMessages: (messages, content) => {
        for (const message of messages) void this.takeCall(attachedTo(message as RpcCallMessage, content));
      },
      onError: (error) => this.refusePeer(error.message),
    });
    this.serving = { area, reader, writer: new FrameWriter(this.socket, outgoing) };
  }

  private async takeCall(call: RpcCallMessage): Promise<void> {
    const { area, writer } = this.serving!;
    if (typeof call?.pattern !== 'string' || areaOf(call.pattern) !== area)
      return this.refusePeer('it calls what it did not ask for');
    this.callsInHand += 1;
    clearTimeout(this.silence);
    const reply = await this.options.answer(call);
    this.callsInHand -= 1;
    if (!sendReply(writer, call, reply)) this.refusePeer(`an answer to ${call.pattern} is too large`);
    // Answers to a caller that does not read them would fill the memory, so its calls are not read either.
    if (this.socket.writableNeedDrain) this.backpressure.close('answers');
    if (this.isLeaving) this.awaitSilence();
  }

  private awaitSilence(): void {
    if (this.callsInHand > 0) return;
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.end(), LEAVING_MS);
  }

  private refusePeer(why: string): void {
    if (this.socket.destroyed) return;
    this.socket.destroy();
    this.options.onRefused(this.serving ? 'session' : 'introduction', why);
  }

  private forgetPeer(): void {
    clearTimeout(this.introductionTimer);
    clearTimeout(this.silence);
    this.serving?.reader.close();
  }
}

/** @returns false when the answer is too large to be sent */
function sendReply(writer: FrameWriter, call: RpcCallMessage, reply: RpcReply): boolean {
  const parts = detachAnswer(call, reply);
  if (parts) return writer.writeWithContent(JSON.stringify(parts.message), parts.content);
  const { value } = reply;
  return writer.write(
    JSON.stringify({ id: call.id, ...reply, ...(Buffer.isBuffer(value) ? { value: value.toString() } : {}) }),
  );
}
