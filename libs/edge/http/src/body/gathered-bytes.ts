// Initial size for a body of unknown length: enough for a small one.
const FIRST_BYTES = 16 * 1024;

/**
 * Collects the pieces of a body directly into one buffer: a body of 64 MiB is in memory once, not as pieces and again as a whole.
 * The system provides no memory for announced bytes that never arrive.
 */
export class GatheredBytes {
  private buffer: Buffer | null = null;
  bytes = 0;

  /** @param announced number of bytes that the sender has announced */
  constructor(private readonly announced: number) {}

  add(piece: Buffer): void {
    // Most bodies are a single piece, which needs no copy.
    if (this.bytes === 0 && piece.length >= this.announced && this.announced > 0) this.buffer = piece;
    else {
      this.reserve(this.bytes + piece.length);
      piece.copy(this.buffer!, this.bytes);
    }
    this.bytes += piece.length;
  }

  /** @returns all bytes, and releases the buffer */
  take(): Buffer {
    const whole = (this.buffer ?? Buffer.alloc(0)).subarray(0, this.bytes);
    this.buffer = null;
    return whole;
  }

  private reserve(length: number): void {
    if (this.buffer && length <= this.buffer.length) return;
    const wider = Buffer.allocUnsafeSlow(
      Math.max(length, this.announced, FIRST_BYTES, 2 * (this.buffer?.length ?? 0)),
    );
    this.buffer?.copy(wider, 0, 0, this.bytes);
    this.buffer = wider;
  }
}
