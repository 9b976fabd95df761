/** Appends bytes to a buffer that is reused, so that a file of any size leaves no garbage. */
export class ByteWriter {
  private buffer = Buffer.allocUnsafe(64 * 1024);
  private length = 0;

  /** Appends the bytes of `source` from `from` (included) to `to` (excluded). */
  append(source: Buffer, from: number, to: number): void {
    this.reserve(to - from);
    source.copy(this.buffer, this.length, from, to);
    this.length += to - from;
  }

  appendText(text: string): void {
    // A UTF-16 unit takes at most three bytes.
    this.reserve(text.length * 3);
    this.length += this.buffer.write(text, this.length);
  }

  appendByte(byte: number): void {
    this.reserve(1);
    this.buffer[this.length] = byte;
    this.length += 1;
  }

  /** @returns all bytes appended since the last call. The next append overwrites them. */
  take(): Buffer {
    const bytes = this.buffer.subarray(0, this.length);
    this.length = 0;
    return bytes;
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}
