import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GatheredBytes } from './gathered-bytes.js';

const pieces = fc.array(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  { maxLength: 20 },
);

describe('a body gathered from chunks', () => {
  it('is complete, whatever length was announced', () => {
    fc.assert(
      fc.property(pieces, fc.nat(500), (sent, announced) => {
        const gathered = new GatheredBytes(announced);
        sent.forEach((piece) => gathered.add(piece));
        expect(gathered.bytes).toBe(Buffer.concat(sent).length);
        expect(gathered.take().equals(Buffer.concat(sent))).toBe(true);
      }),
    );
  });

  it('is not copied if it came as one chunk', () => {
    const piece = Buffer.from('{"a":1}');
    const gathered = new GatheredBytes(piece.length);
    gathered.add(piece);
    expect(gathered.take().buffer).toBe(piece.buffer);
  });

  it('is complete if more chunks follow one of the announced length', () => {
    const gathered = new GatheredBytes(2);
    for (const text of ['ab', 'c', 'defg']) gathered.add(Buffer.from(text));
    expect(gathered.take().toString()).toBe('abcdefg');
  });
});
