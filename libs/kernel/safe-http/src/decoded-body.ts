import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** More of them are no care for the size of an answer. */
const CODINGS_MAX = 5;
// As browsers do: what has come is read, also of a stream that ends too early.
const SYNC = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const FLUSH = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };
const through = (body: Readable, decoder: Transform): Readable =>
  // Whoever reads the decoder is told of an error of either.
  pipeline(body, decoder, () => undefined);
const DECODERS = {
  gzip: (body: Readable) => through(body, createGunzip(SYNC)),
  'x-gzip': (body: Readable) => through(body, createGunzip(SYNC)),
  deflate: inflateBody,
  br: (body: Readable) => through(body, createBrotliDecompress(FLUSH)),
};

/** @returns what an answer of this scheme may be encoded by */
export function acceptedCodings(protocol: string): string {
  return protocol === 'https:' ? 'br, gzip, deflate' : 'gzip, deflate';
}

/**
 * @returns the body of an answer, decoded while it is read; as it is where a coding is unknown. Whoever leaves it leaves the answer.
 * @throws Error when it has too many codings
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

/** Some servers send the bare stream as "deflate", and others wrap it, as the standard says. Source: RFC 9110, section 8.4.1.2. */
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
