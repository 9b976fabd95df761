import { describe, expect, it } from '@jest/globals';
import { SealedSecrets } from './sealed-secrets.js';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const BINDING = ['org_a', 'live', 'hunter'];
const SECRET = 'hunter-key-0f-the-spec';

const old = new SealedSecrets([OLD]);
const rotated = new SealedSecrets([NEW, OLD]);

describe('an encrypted secret', () => {
  it('opens for the purpose it was encrypted for, differs each time, and does not contain the plain text', () => {
    const [one, two] = [old.sealSecret(BINDING, SECRET), old.sealSecret(BINDING, SECRET)];
    expect(one).not.toBe(two);
    for (const sealed of [one, two]) {
      expect(old.openSecret(BINDING, sealed)).toBe(SECRET);
      for (const text of [SECRET, OLD, Buffer.from(SECRET).toString('base64url')])
        expect(sealed).not.toContain(text);
    }
  });

  it.each([
    ['organisation', ['org_b', 'live', 'hunter']],
    ['mode', ['org_a', 'test', 'hunter']],
    ['provider', ['org_a', 'live', 'findymail']],
    ['order of its parts', ['live', 'org_a', 'hunter']],
    ['number of its parts', ['org_a', 'live', 'hunter', '']],
  ])('does not open for another %s', (_what, binding) => {
    expect(old.openSecret(binding, old.sealSecret(BINDING, SECRET))).toBeNull();
  });

  it('is encrypted with the first key and opens with any; without its key it stays closed', () => {
    const before = old.sealSecret(BINDING, SECRET);
    expect(rotated.openSecret(BINDING, before)).toBe(SECRET);
    const after = rotated.sealSecret(BINDING, SECRET);
    expect(after.split('.')[1]).not.toBe(before.split('.')[1]);
    expect([before, after].map((sealed) => rotated.isSealedByFirst(sealed))).toEqual([false, true]);
    expect([old.openSecret(BINDING, after), new SealedSecrets([NEW]).openSecret(BINDING, before)]).toEqual([
      null,
      null,
    ]);
  });

  it('does not open with any changed character, or a missing, invalid or extra part', () => {
    const sealed = old.sealSecret(BINDING, SECRET);
    const bytesOf = (text: string) =>
      text.split('.').map((part, i) => (i < 2 ? part : Buffer.from(part, 'base64url').toString('hex')));
    for (let i = 0; i < sealed.length; i += 1) {
      const other = sealed[i] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, i) + other + sealed.slice(i + 1);
      // The last character of base64url has bits that belong to no byte.
      const isOther = bytesOf(changed).join() !== bytesOf(sealed).join();
      if (isOther) expect([i, old.openSecret(BINDING, changed)]).toEqual([i, null]);
    }
    const parts = sealed.split('.');
    const odd = [
      '',
      '.',
      'v1',
      parts.slice(0, 3).join('.'),
      `${sealed}.`,
      'v1.a.b.c',
      `v2${sealed.slice(2)}`,
    ];
    for (const text of odd) expect([text, old.openSecret(BINDING, text)]).toEqual([text, null]);
    // A text combined from two sealed ones.
    const [a, b] = [old.sealSecret(BINDING, 'one'), old.sealSecret(BINDING, 'two')].map((text) =>
      text.split('.'),
    );
    expect(old.openSecret(BINDING, [...a!.slice(0, 3), b![3]].join('.'))).toBeNull();
  });

  it('needs a key, and each key needs 32 characters', () => {
    const none = new SealedSecrets([]);
    expect([none.canSeal, old.canSeal]).toEqual([false, true]);
    expect(() => none.sealSecret(BINDING, SECRET)).toThrow('no key');
    expect(none.openSecret(BINDING, old.sealSecret(BINDING, SECRET))).toBeNull();
    expect(() => new SealedSecrets([OLD, 'n'.repeat(31)])).toThrow('32 characters');
  });
});
