import type { FrameBudget } from './frame-budget.js';
import { SEAL_BYTES, type Seal } from './frame-mac.js';
import type { SocketBackpressure } from './socket-backpressure.js';

/*
 * A frame is the length of its payload (4 bytes, big-endian), its MAC (16 bytes) and the payload: a JSON array with
 * the messages of one turn of the sender's event loop. If the first bit of the length is set, the payload is one message
 * with an attached text or bytes: the length of the message (4 bytes), the message as JSON, the attachment.
 */

export const FRAME_HEAD_BYTES = 4 + SEAL_BYTES;
export const ATTACHED_FLAG = 0x8000_0000;
/** Twice the body of an import: a page of rows with very long cells may be that large. */
export const FRAME_BYTES_MAX = 130 * 1024 * 1024;
/** Larger frames reserve memory before they are read. Nearly all answers and calls except imports are smaller. */
const SMALL_FRAME_BYTES = 256 * 1024;
/** Milliseconds from the head of a frame to its last byte. An import of 64 MiB needs that long at 10 Mbit/s. */
const FRAME_MS = 60_000;

/** A frame is invalid or does not end: its connection cannot be used any more. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

interface Body {
  hasText: boolean;
  bytes: Buffer;
  filled: number;
  seal: Buffer;
}

/** Reads frames from a socket. Checks the length before it buffers anything, and the MAC before it parses anything. */
export class FrameReader {
  /** An incomplete head, or bytes that wait for memory. */
  private rest: Buffer = Buffer.alloc(0);
  private body: Body | null = null;
  private giveBack: (() => void) | null = null;
  private isWaiting = false;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly backpressure: SocketBackpressure,
    private readonly options: {
      seal: Seal;
      budget: FrameBudget | null;
      /** @param content the attachment of a single message */
      onMessages: (messages: unknown[], content: Buffer | null) => void;
      onError: (error: FrameError) => void;
    },
  ) {}

  /** Consumes received bytes. */
  push(chunk: Buffer): void {
    if (this.isClosed) return;
    try {
      this.takeChunk(chunk);
    } catch (error) {
      this.close();
      this.options.onError(error as FrameError);
    }
  }

  /** Discards an incomplete frame. */
  close(): void {
    clearTimeout(this.timer);
    this.giveBack?.();
    this.giveBack = null;
    this.body = null;
    this.rest = Buffer.alloc(0);
    this.isClosed = true;
  }

  private takeChunk(chunk: Buffer): void {
    let bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    this.rest = Buffer.alloc(0);
    while (bytes.length > 0 && !this.isClosed) {
      if (this.isWaiting) return void (this.rest = bytes);
      if (this.body) bytes = this.fillBody(this.body, bytes);
      else {
        if (bytes.length < FRAME_HEAD_BYTES) return void (this.rest = Buffer.from(bytes));
        bytes = this.beginFrame(bytes);
      }
    }
  }

  /** @returns the bytes after it */
  private beginFrame(bytes: Buffer): Buffer {
    const word = bytes.readUInt32BE(0);
    const hasText = word >= ATTACHED_FLAG;
    const length = hasText ? word - ATTACHED_FLAG : word;
    if (length > FRAME_BYTES_MAX) throw new FrameError(`A frame of ${length} bytes is too large.`);
    const end = FRAME_HEAD_BYTES + length;
    const seal = bytes.subarray(4, FRAME_HEAD_BYTES);
    if (bytes.length >= end) {
      this.openFrame(seal, bytes.subarray(FRAME_HEAD_BYTES, end), hasText);
      return bytes.subarray(end);
    }
    this.reserveBody(length, Buffer.from(seal), hasText);
    return bytes.subarray(FRAME_HEAD_BYTES);
  }

  private reserveBody(length: number, seal: Buffer, hasText: boolean): void {
    const ready = (): void => {
      this.body = { hasText, bytes: Buffer.allocUnsafe(length), filled: 0, seal };
      this.timer = setTimeout(() => {
        this.close();
        this.options.onError(new FrameError('A frame did not arrive in time.'));
      }, FRAME_MS).unref();
    };
    if (!this.options.budget || length <= SMALL_FRAME_BYTES) return ready();
    this.isWaiting = true;
    let isLater = false;
    this.giveBack = this.options.budget.take(length, () => {
      this.isWaiting = false;
      ready();
      if (!isLater) return;
      this.push(Buffer.alloc(0));
      this.backpressure.open('room');
    });
    isLater = true;
    if (this.isWaiting) this.backpressure.close('room');
  }

  private fillBody(body: Body, bytes: Buffer): Buffer {
    const taken = Math.min(bytes.length, body.bytes.length - body.filled);
    bytes.copy(body.bytes, body.filled, 0, taken);
    body.filled += taken;
    if (body.filled === body.bytes.length) {
      clearTimeout(this.timer);
      this.body = null;
      try {
        this.openFrame(body.seal, body.bytes, body.hasText);
      } finally {
        this.giveBack?.();
        this.giveBack = null;
      }
    }
    return bytes.subarray(taken);
  }

  private openFrame(seal: Buffer, payload: Buffer, hasText: boolean): void {
    if (!this.options.seal.isNext(seal, payload))
      throw new FrameError('A frame is not sealed as it must be.');
    if (!hasText) return this.options.onMessages(parseFrame(payload), null);
    const end = payload.length < 4 ? Infinity : 4 + payload.readUInt32BE(0);
    if (end > payload.length) throw new FrameError('A frame is shorter than it says.');
    this.options.onMessages([parsedValue(payload.subarray(4, end))], payload.subarray(end));
  }
}

function parseFrame(payload: Buffer): unknown[] {
  const messages = parsedValue(payload);
  if (Array.isArray(messages)) return messages;
  throw new FrameError('A frame holds no messages.');
}

function parsedValue(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString());
  } catch {
    // Not the error's own text, which would quote the frame.
    throw new FrameError('A frame holds no messages.');
  }
}
