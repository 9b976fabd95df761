import { createHash } from 'node:crypto';

/** Size of every stored piece but the last. A read at any offset finds its piece by division. */
export const CHUNK_BYTES = 256 * 1024;

/** Cuts growing text into pieces of {@link CHUNK_BYTES}, and keeps count and hash of all of it. */
export class ChunkedContent {
  private readonly hash = createHash('sha256');
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  byteLength = 0;

  /** @returns the full pieces that the text completes */
  push(text: string): Buffer[] {
    const bytes = Buffer.from(text, 'utf8');
    this.hash.update(bytes);
    this.byteLength += bytes.length;
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    if (this.pendingBytes < CHUNK_BYTES) return [];
    const all = Buffer.concat(this.pending);
    const cut = all.length - (all.length % CHUNK_BYTES);
    this.pending = [all.subarray(cut)];
    this.pendingBytes = all.length - cut;
    return Array.from({ length: cut / CHUNK_BYTES }, (_, at) =>
      all.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
    );
  }

  /** @returns the last piece, shorter than the others, or none; and the hash of all content. Call once. */
  finish(): { rest: Buffer[]; sha256: Buffer } {
    const rest = this.pendingBytes > 0 ? [Buffer.concat(this.pending)] : [];
    return { rest, sha256: this.hash.digest() };
  }
}
