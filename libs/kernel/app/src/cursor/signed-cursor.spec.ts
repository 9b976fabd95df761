import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CursorSigner } from './signed-cursor.js';

const binding = { tenant: ['org_a', 'live'] as const, endpoint: 'rows', subject: 'tbl_1' };
const signer = new CursorSigner([{ id: 'k1', secret: 'first secret' }]);

describe('a signed cursor', () => {
  it('opens to the position it was signed with', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 40 }), (position) => {
        expect(signer.openCursor(binding, signer.signCursor(binding, position))).toBe(position);
      }),
    );
  });

  it('opens nothing for another organisation, endpoint or subject', () => {
    const cursor = signer.signCursor(binding, '17');
    expect(signer.openCursor({ ...binding, tenant: ['org_b', 'live'] }, cursor)).toBeNull();
    expect(signer.openCursor({ ...binding, tenant: ['org_a', 'test'] }, cursor)).toBeNull();
    expect(signer.openCursor({ ...binding, endpoint: 'frozen' }, cursor)).toBeNull();
    expect(signer.openCursor({ ...binding, subject: 'tbl_2' }, cursor)).toBeNull();
  });

  it('opens nothing when any one character is changed, added or cut', () => {
    const cursor = signer.signCursor(binding, '123456');
    for (let at = 0; at < cursor.length; at += 1) {
      for (const other of 'AQgwz09-_=+/') {
        if (other === cursor[at]) continue;
        expect(signer.openCursor(binding, cursor.slice(0, at) + other + cursor.slice(at + 1))).toBeNull();
      }
      expect(signer.openCursor(binding, cursor.slice(0, at))).toBeNull();
      expect(signer.openCursor(binding, `${cursor.slice(0, at)} ${cursor.slice(at)}`)).toBeNull();
    }
  });

  it('opens nothing for text that was never signed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(signer.openCursor(binding, text)).toBeNull();
      }),
    );
    expect(signer.openCursor(binding, 'A'.repeat(1_000_000))).toBeNull();
  });

  it('accepts what a retired key signed, and nothing of an unknown key', () => {
    const cursor = signer.signCursor(binding, '9');
    const rotated = new CursorSigner([
      { id: 'k2', secret: 'second secret' },
      { id: 'k1', secret: 'first secret' },
    ]);
    expect(rotated.openCursor(binding, cursor)).toBe('9');
    expect(new CursorSigner([{ id: 'k2', secret: 'second secret' }]).openCursor(binding, cursor)).toBeNull();
    expect(new CursorSigner([{ id: 'k1', secret: 'stolen' }]).openCursor(binding, cursor)).toBeNull();
  });
});
