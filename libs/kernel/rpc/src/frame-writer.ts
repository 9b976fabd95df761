import type { Socket } from 'node:net';
import { ATTACHED_FLAG, FRAME_BYTES_MAX, FRAME_HEAD_BYTES } from './frame-reader.js';
import type { Seal } from './frame-mac.js';

/** A frame of this length is sent without waiting for the end of the turn. */
const FLUSH_BYTES = 256 * 1024;

const PIECE_CHARACTERS = 1024 * 1024;

/** Keeps the two halves of a surrogate pair together. */
function utf8Pieces(text: string): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PIECE_CHARACTERS, text.length);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    pieces.push(Buffer.from(text.slice(from, to)));
    from = to;
  }
  return pieces;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/**
 * Sends the messages of one turn of the event loop as one frame. Messages that occur together then cost one MAC, one write and
 * one wake-up of the other end instead of one each, and nothing waits longer than the current turn.
 */
export class FrameWriter {
  private texts: string[] = [];
  private onSent: Array<() => void> = [];
  private length = 0;
  private isScheduled = false;

  constructor(
    private readonly socket: Socket,
    private readonly seal: Seal,
  ) {}

  /**
   * @param text a message as JSON
   * @param onSent called when the message is given to the socket; until then it has not left this process
   * @returns false when the message is too large to be sent
   */
  write(text: string, onSent?: () => void): boolean {
    // A UTF-16 unit takes one to three bytes in UTF-8, so only long messages need counting.
    if (text.length * 3 > FRAME_BYTES_MAX && Buffer.byteLength(text) + 2 > FRAME_BYTES_MAX) return false;
    if (this.length > 0 && this.length + text.length > FLUSH_BYTES) this.flush();
    this.texts.push(text);
    if (onSent) this.onSent.push(onSent);
    this.length += text.length;
    if (this.length > FLUSH_BYTES) this.flush();
    else if (!this.isScheduled) {
      this.isScheduled = true;
      setImmediate(() => {
        this.isScheduled = false;
        this.flush();
      });
    }
    return true;
  }

  /**
   * Sends a message and a long text, or its bytes, in a frame of their own. A text is sent as UTF-8 in pieces: as part of the
   * JSON there would be four more copies of it, escaped, joined and encoded.
   * @returns like {@link write}
   */
  writeWithContent(message: string, content: string | Buffer, onSent?: () => void): boolean {
    this.flush();
    const head = Buffer.allocUnsafe(4);
    const json = Buffer.from(message);
    head.writeUInt32BE(json.length, 0);
    const payload = [head, json, ...(typeof content === 'string' ? utf8Pieces(content) : [content])];
    const length = payload.reduce((sum, piece) => sum + piece.length, 0);
    if (length > FRAME_BYTES_MAX) return false;
    if (!this.socket.writable) return true;
    const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
    frame.writeUInt32BE((length | ATTACHED_FLAG) >>> 0, 0);
    this.seal.next(...payload).copy(frame, 4);
    onSent?.();
    this.socket.cork();
    for (const piece of [frame, ...payload]) this.socket.write(piece);
    this.socket.uncork();
    return true;
  }

  /** Sends what is waiting, now. */
  flush(): void {
    if (this.texts.length === 0 || !this.socket.writable) return;
    const text = `[${this.texts.join(',')}]`;
    const { onSent } = this;
    this.texts = [];
    this.onSent = [];
    this.length = 0;
    const length = Buffer.byteLength(text);
    const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + length);
    frame.writeUInt32BE(length, 0);
    frame.write(text, FRAME_HEAD_BYTES);
    this.seal.next(frame.subarray(FRAME_HEAD_BYTES)).copy(frame, 4);
    for (const callback of onSent) callback();
    this.socket.write(frame);
  }
}
