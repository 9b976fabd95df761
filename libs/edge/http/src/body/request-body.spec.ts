import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readBytes } from './request-body.js';

/** Creates a body from chunks, with or without a Content-Length. */
function bodyOf(pieces: string[], announced?: number): IncomingMessage {
  const headers = announced === undefined ? {} : { 'content-length': String(announced) };
  const body = Object.assign(new PassThrough(), { headers });
  for (const piece of pieces) body.write(piece);
  body.end();
  return body as unknown as IncomingMessage;
}

describe('reading a body of at most ten bytes', () => {
  it('accepts ten', async () => {
    expect(String(await readBytes(bodyOf(['hello', 'world'], 10), 10, 60_000))).toBe('helloworld');
  });

  it('refuses a longer one by its announced length', async () => {
    await expect(readBytes(bodyOf(['hello'], 11), 10, 60_000)).rejects.toMatchObject({ status: 413 });
  });

  it('does not wait for a client that has disconnected', async () => {
    const left = Object.assign(new PassThrough(), { headers: { 'content-length': '5' } });
    const gone = new Promise((resolve) => left.once('close', resolve));
    left.destroy();
    await gone;
    const read = readBytes(left as unknown as IncomingMessage, 10, 2 ** 31 - 1);
    await expect(read).rejects.toMatchObject({ status: 400 });
  });

  it('refuses one without a length as soon as it is too long', async () => {
    await expect(readBytes(bodyOf(['hello', 'worlds']), 10, 60_000)).rejects.toMatchObject({ status: 413 });
  });
});
