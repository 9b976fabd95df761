import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GatheredBytes } from './gathered-bytes.js';

const pieces = fc.array(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  { maxLength: 20 },
);

describe('bytes in pieces', () => {
  it('are whole again, whatever length was announced', () => {
    fc.assert(
      fc.property(pieces, fc.nat(500), (sent, announced) => {
        const gathered = new GatheredBytes(announced);
        sent.forEach((piece) => gathered.add(piece));
        expect(gathered.bytes).toBe(Buffer.concat(sent).length);
        expect(gathered.take().equals(Buffer.concat(sent))).toBe(true);
      }),
    );
  });

  it('are not copied when they came as one', () => {
    const piece = Buffer.from('{"a":1}');
    const gathered = new GatheredBytes(piece.length);
    gathered.add(piece);
    expect(gathered.take().buffer).toBe(piece.buffer);
  });

  it('are whole when more comes than one that was as long as announced', () => {
    const gathered = new GatheredBytes(2);
    for (const text of ['ab', 'c', 'defg']) gathered.add(Buffer.from(text));
    expect(gathered.take().toString()).toBe('abcdefg');
  });
});
