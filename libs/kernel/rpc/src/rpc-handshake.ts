import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { FrameMac, NO_SEAL, type Seal } from './frame-mac.js';

/*
 * The handshake of a connection. Both ends prove that they know a secret without sending it. No clock is involved.
 *
 *   answering end → calling end   greeting       protocol, whether a signature is required, 32 random bytes
 *   calling end → answering end   introduction   area, name of the key, 32 random bytes, a signature of everything so far
 *   answering end → calling end   welcome        a signature of everything, which proves that it knows the secret too
 *
 * The random bytes of both ends give two keys for this connection alone, one per direction, so that recorded frames are
 * invalid on another connection, at another service and under another secret.
 */

const MAGIC = Buffer.from('QRPC\x01', 'latin1');
const NONCE_BYTES = 32;
const KEY_NAME_BYTES = 8;
const AREA_BYTES = 32;
const MAC_BYTES = 32;
export const GREETING_BYTES = MAGIC.length + 1 + NONCE_BYTES;
export const INTRODUCTION_BYTES = MAGIC.length + KEY_NAME_BYTES + NONCE_BYTES + AREA_BYTES + MAC_BYTES;
export const WELCOME_BYTES = MAC_BYTES;

/** MAC keys of one connection, as one of its ends sees them. */
export interface Session {
  /** Area that the calling end requests: the first word of a pattern. */
  area: string;
  outgoing: Seal;
  incoming: Seal;
}

/** Reason why a connection is refused, for the log of the refusing end. */
export type Refusal =
  | 'it does not speak this protocol'
  | 'its secret is not known here'
  | 'its signature is wrong'
  | 'it wants an area that is not answered here';

/** @returns the first message of the answering end; its last 32 bytes are random */
export function createGreeting(secrets: readonly string[]): Buffer {
  return Buffer.concat([MAGIC, Buffer.of(secrets.length > 0 ? 1 : 0), randomBytes(NONCE_BYTES)]);
}

/**
 * Answers a greeting at the calling end.
 * @returns null when the other end speaks another protocol, or only one end uses signatures
 */
export function answerGreeting(
  received: Buffer,
  area: string,
  secrets: readonly string[],
): { bytes: Buffer; check: (welcome: Buffer) => Session | null } | null {
  const isSigned = received[MAGIC.length] === 1;
  const [secret] = secrets;
  if (!startsWithMagic(received) || isSigned !== (secret !== undefined)) return null;
  const named = Buffer.concat([
    MAGIC,
    secret === undefined ? Buffer.alloc(KEY_NAME_BYTES) : nameOf(secret),
    randomBytes(NONCE_BYTES),
    Buffer.from(area.padEnd(AREA_BYTES, '\0'), 'latin1'),
  ]);
  const transcript = Buffer.concat([received, named]);
  const bytes = Buffer.concat([named, signTranscript(secret, 'introduction', transcript)]);
  return {
    bytes,
    check: (welcome) => {
      if (!isSame(welcome, signTranscript(secret, 'welcome', transcript))) return null;
      return { area, ...createSeals(secret, transcript, ['calls', 'answers']) };
    },
  };
}

/** Checks an introduction at the answering end. */
export function checkIntroduction(
  sent: Buffer,
  received: Buffer,
  secrets: readonly string[],
  areas: ReadonlySet<string>,
): { session: Session; welcome: Buffer } | Refusal {
  if (!startsWithMagic(received)) return 'it does not speak this protocol';
  const named = received.subarray(0, INTRODUCTION_BYTES - MAC_BYTES);
  const keyName = named.subarray(MAGIC.length, MAGIC.length + KEY_NAME_BYTES);
  const secret = secrets.find((each) => nameOf(each).equals(keyName));
  if (secrets.length > 0 && secret === undefined) return 'its secret is not known here';
  const transcript = Buffer.concat([sent, named]);
  if (!isSame(received.subarray(named.length), signTranscript(secret, 'introduction', transcript)))
    return 'its signature is wrong';
  const area = named.toString('latin1', named.length - AREA_BYTES).replace(/\0+$/, '');
  if (!areas.has(area)) return 'it wants an area that is not answered here';
  return {
    session: { area, ...createSeals(secret, transcript, ['answers', 'calls']) },
    welcome: signTranscript(secret, 'welcome', transcript),
  };
}

function startsWithMagic(bytes: Buffer): boolean {
  return bytes.subarray(0, MAGIC.length).equals(MAGIC);
}

/** Identifies a secret without revealing anything about it. */
function nameOf(secret: string): Buffer {
  return createHash('sha256').update(`quarry rpc name ${secret}`).digest().subarray(0, KEY_NAME_BYTES);
}

/** Returns zeros when nothing is signed. */
function signTranscript(secret: string | undefined, of: string, transcript: Buffer): Buffer {
  if (secret === undefined) return Buffer.alloc(MAC_BYTES);
  return createHmac('sha256', secret).update(`quarry rpc ${of}\0`).update(transcript).digest();
}

function createSeals(
  secret: string | undefined,
  transcript: Buffer,
  [outgoing, incoming]: readonly [string, string],
): { outgoing: Seal; incoming: Seal } {
  if (secret === undefined) return { outgoing: NO_SEAL, incoming: NO_SEAL };
  return {
    outgoing: new FrameMac(signTranscript(secret, outgoing, transcript)),
    incoming: new FrameMac(signTranscript(secret, incoming, transcript)),
  };
}

function isSame(given: Buffer, right: Buffer): boolean {
  return given.length === right.length && timingSafeEqual(given, right);
}
