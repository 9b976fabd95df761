import { createHash } from 'node:crypto';

/** Size of every stored piece except the last. A read at an offset finds its piece by division. */
export const CHUNK_BYTES = 256 * 1024;

/** Splits content into pieces of {@link CHUNK_BYTES}, stores them, and keeps the size and hash of the whole. */
export class ExportContent {
  private readonly hash = createHash('sha256');
  private readonly chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  private filled = 0;
  byteLength = 0;

  /** @param store stores one piece; its buffer is reused once the promise has resolved */
  constructor(private readonly store: (piece: Buffer) => Promise<void>) {}

  async write(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length;) {
      const to = Math.min(bytes.length, from + CHUNK_BYTES - this.filled);
      bytes.copy(this.chunk, this.filled, from, to);
      this.filled += to - from;
      from = to;
      if (this.filled === CHUNK_BYTES) await this.flushBytes();
    }
  }

  /** Stores the rest. To be called once. @returns the hash of the whole content */
  async finish(): Promise<Buffer> {
    if (this.filled > 0) await this.flushBytes();
    return this.hash.digest();
  }

  private async flushBytes(): Promise<void> {
    const piece = this.chunk.subarray(0, this.filled);
    this.hash.update(piece);
    this.byteLength += piece.length;
    await this.store(piece);
    this.filled = 0;
  }
}
