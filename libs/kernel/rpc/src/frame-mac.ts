import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/** HMAC-SHA-256, cut to the 128 bits that RFC 2104 section 5 allows. */
export const SEAL_BYTES = 16;

/** Seals the frames of one direction of a connection, or checks their seals. */
export interface Seal {
  /** @param payload in one piece or several. @returns the seal of the next frame */
  next(...payload: readonly Buffer[]): Buffer;
  /** @returns whether this is the seal of the next frame */
  isNext(seal: Buffer, payload: Buffer): boolean;
}

/** Each frame is sealed with its number, so that none can be left out, repeated or moved. */
export class FrameMac implements Seal {
  // As an object: a key that is given as bytes is prepared anew for every frame, for 19 µs instead of 3.
  private readonly key: KeyObject;
  private readonly number = Buffer.alloc(8);
  private frames = 0;

  constructor(key: Buffer) {
    this.key = createSecretKey(key);
  }

  next(...payload: readonly Buffer[]): Buffer {
    this.number.writeDoubleBE((this.frames += 1));
    const hmac = createHmac('sha256', this.key).update(this.number);
    for (const piece of payload) hmac.update(piece);
    return hmac.digest().subarray(0, SEAL_BYTES);
  }

  isNext(seal: Buffer, payload: Buffer): boolean {
    return timingSafeEqual(seal, this.next(payload));
  }
}

const ZEROS = Buffer.alloc(SEAL_BYTES);

/** The seal of connections without a secret: zeros, which are not checked. */
export const NO_SEAL: Seal = { next: () => ZEROS, isNext: () => true };
