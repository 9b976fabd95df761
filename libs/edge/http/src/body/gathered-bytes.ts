// Of a body that does not say how long it is: what a small one needs.
const FIRST_BYTES = 16 * 1024;

/**
 * Bytes that come in pieces, each copied to its place at once: a body of 64 MiB is there once, not in its pieces and
 * again as a whole. Memory that was announced and never filled is not taken from the system.
 */
export class GatheredBytes {
  private buffer: Buffer | null = null;
  bytes = 0;

  /** @param announced how many will come, as far as the sender says so */
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

  /** @returns all of them; nothing is kept */
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
