import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** Maximum number of codings; more of them are an attempt to exceed the size limit. */
const CODINGS_MAX = 5;
// Like browsers: data of a truncated stream is used.
const SYNC = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const FLUSH = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };
const through = (body: Readable, decoder: Transform): Readable =>
  // The reader of the decoder receives the errors of both.
  pipeline(body, decoder, () => undefined);
const DECODERS = {
  gzip: (body: Readable) => through(body, createGunzip(SYNC)),
  'x-gzip': (body: Readable) => through(body, createGunzip(SYNC)),
  deflate: inflateBody,
  br: (body: Readable) => through(body, createBrotliDecompress(FLUSH)),
};

/** @returns the accepted content codings for a URL scheme */
export function acceptedCodings(protocol: string): string {
  return protocol === 'https:' ? 'br, gzip, deflate' : 'gzip, deflate';
}

/**
 * Decodes a response body while it is read; unchanged if a coding is unknown. Destroying the result also ends the response.
 * @throws Error if it has too many codings
 */
export async function decodedBody(body: Readable, contentEncoding: string | null): Promise<Readable> {
  const codings = (contentEncoding ?? '').toLowerCase().split(',');
  const named = codings.map((each) => each.trim()).filter((each) => each !== '');
  if (named.length > CODINGS_MAX) throw new Error('The answer has too many codings.');
  if (!named.every(isKnown)) return body;
  let decoded = body;
  for (const coding of named.reverse()) decoded = await DECODERS[coding](decoded);
  return decoded;
}

function isKnown(coding: string): coding is keyof typeof DECODERS {
  return Object.hasOwn(DECODERS, coding);
}

/** Inflates "deflate": some servers send the raw stream, others wrap it as specified. Source: RFC 9110, section 8.4.1.2. */
async function inflateBody(body: Readable): Promise<Readable> {
  await new Promise((resolve, reject) => {
    body.once('readable', resolve).once('end', resolve).once('error', reject);
  });
  const chunk = body.read() as Buffer | null;
  if (chunk === null) return body;
  body.unshift(chunk);
  const isWrapped = (chunk[0]! & 15) === 8;
  return through(body, isWrapped ? createInflate(SYNC) : createInflateRaw(SYNC));
}
