import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiKeyRecord } from '../identity.store.js';
import { hashSecret, newApiKey, parseApiKey } from './api-key.format.js';
import { KEY_CACHE_TTL_MS, KeyAuthenticator } from './key-authenticator.js';

/** Arbitrary time of the monotonic clock. */
const BEGAN_MS = 1_000;

describe('authenticating a key', () => {
  const text = newApiKey('live');
  const parsed = parseApiKey(text)!;
  let nowMs: number;
  let stored: Map<string, ApiKeyRecord>;
  let reads: string[];
  let notes: string[];
  let authenticator: KeyAuthenticator;

  const record = (overrides: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
    id: 'key_1',
    orgId: 'org_1',
    userId: 'usr_1',
    mode: 'live',
    secretSha256: hashSecret(parsed.secret),
    isRevoked: false,
    isUseDue: false,
    role: 'owner',
    ...overrides,
  });
  // Thrown errors and rejected promises look the same to the caller.
  const ask = async (key = text) => (await authenticator.authenticateKey(`Bearer ${key}`)).id;

  beforeEach(() => {
    nowMs = BEGAN_MS;
    reads = [];
    notes = [];
    stored = new Map([[parsed.publicId, record()]]);
    const source = {
      findKey: async (publicId: string) => {
        reads.push(publicId);
        await Promise.resolve();
        return stored.get(publicId) ?? null;
      },
      noteKeyUse: (keyId: string) => void notes.push(keyId),
    };
    authenticator = new KeyAuthenticator(source, () => nowMs);
  });

  it('reads the key once for many requests, concurrent and later', async () => {
    await Promise.all([ask(), ask(), ask()]);
    await ask();
    expect(reads).toEqual([parsed.publicId]);
  });

  it('never looks up a key with a wrong checksum', async () => {
    const wrong = text.slice(0, -1) + (text.endsWith('a') ? 'b' : 'a');
    await expect(ask(wrong)).rejects.toMatchObject({ code: 'not_authenticated' });
    expect(reads).toEqual([]);
  });

  it('accepts a revoked key from its cache for less than five seconds', async () => {
    await ask();
    stored.set(parsed.publicId, record({ isRevoked: true }));
    nowMs = BEGAN_MS + KEY_CACHE_TTL_MS - 1;
    expect(await ask()).toBe('key_1');
    nowMs = BEGAN_MS + KEY_CACHE_TTL_MS + 1;
    expect(KEY_CACHE_TTL_MS).toBeLessThan(5_000);
    await expect(ask()).rejects.toMatchObject({ code: 'not_authenticated' });
  });

  it('rejects it after that even if a different header carries it', async () => {
    await ask();
    stored.set(parsed.publicId, record({ isRevoked: true }));
    const other = async () => authenticator.authenticateKey(`bearer ${text}`);
    nowMs = BEGAN_MS + KEY_CACHE_TTL_MS - 1;
    expect(await other()).toMatchObject({ id: 'key_1' });
    nowMs = BEGAN_MS + KEY_CACHE_TTL_MS + 1;
    await expect(other()).rejects.toMatchObject({ code: 'not_authenticated' });
  });

  it('caches unknown keys as well', async () => {
    stored.clear();
    await expect(ask()).rejects.toMatchObject({ status: 401 });
    await expect(ask()).rejects.toMatchObject({ status: 401 });
    expect(reads).toHaveLength(1);
  });

  it('refuses another secret under a known public id, and records no use', async () => {
    stored.set(parsed.publicId, record({ secretSha256: hashSecret('other'), isUseDue: true }));
    await expect(ask()).rejects.toMatchObject({ status: 401 });
    expect(notes).toEqual([]);
  });

  it('refuses a key whose text says another mode than it was made for', async () => {
    stored.set(parsed.publicId, record({ mode: 'test' }));
    await expect(ask()).rejects.toMatchObject({ status: 401 });
  });

  it('refuses a revoked key also on first use', async () => {
    stored.set(parsed.publicId, record({ isRevoked: true }));
    await expect(ask()).rejects.toMatchObject({ status: 401 });
  });

  it('records a due use once per read', async () => {
    stored.set(parsed.publicId, record({ isUseDue: true }));
    await Promise.all([ask(), ask()]);
    await ask();
    expect(notes).toEqual(['key_1']);
  });

  it('keeps its cached keys when flooded with unknown ones', async () => {
    await ask();
    for (let i = 0; i < 10_050; i += 1) await ask(newApiKey('live')).catch(() => undefined);
    reads.length = 0;
    await ask();
    expect(reads).toEqual([]);
  });

  it('does not cache a failure of the source', async () => {
    let isDown = true;
    authenticator = new KeyAuthenticator({
      findKey: () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve(record())),
      noteKeyUse: () => undefined,
    });
    await expect(ask()).rejects.toThrow('down');
    isDown = false;
    expect(await ask()).toBe('key_1');
  });
});
