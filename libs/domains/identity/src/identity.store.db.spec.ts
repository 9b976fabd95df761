import { beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { useTestDatabase } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { hashSecret, parseApiKey } from './keys/api-key.format.js';
import { identityKeySource } from './keys/identity-key-source.js';
import { KeyAuthenticator } from './keys/key-authenticator.js';
import { IdentityStore, type CreatedOrganisation } from './identity.store.js';
import { verifyPassword } from './password.js';

const ctx = systemCtx('spec');

describe('the identity store', () => {
  const test = useTestDatabase();
  let store: IdentityStore;
  let org: CreatedOrganisation;

  beforeAll(async () => {
    store = new IdentityStore(test.database);
    org = await store.createOrganisation(ctx, { name: 'First' });
  });

  const find = (key: string) => store.findKey(ctx, parseApiKey(key)!.publicId);

  it('creates an organisation with a user and a key for each mode', async () => {
    expect(await find(org.apiKey)).toMatchObject({ orgId: org.orgId, userId: org.userId, mode: 'live' });
    expect(await find(org.testKey)).toMatchObject({ orgId: org.orgId, userId: org.userId, mode: 'test' });
    expect(org.email).toMatch(/^owner@org-[a-z0-9]+\.invalid$/);
  });

  it('stores neither secrets nor passwords, only their hashes', async () => {
    const rows = await test.database.query(
      ctx,
      'SELECT k::text AS key, u::text AS user FROM identity.api_keys k, identity.users u',
    );
    const text = JSON.stringify(rows);
    const { secret } = parseApiKey(org.apiKey)!;
    expect(text).not.toContain(secret);
    expect(text).not.toContain(org.password);
    expect((await find(org.apiKey))?.secretSha256.equals(hashSecret(secret))).toBe(true);
    const user = await test.database.queryOne<{ password_hash: string }>(
      ctx,
      'SELECT password_hash FROM identity.users WHERE id = $1',
      [org.userId],
    );
    expect(await verifyPassword(org.password, user!.password_hash)).toBe(true);
    expect(await verifyPassword(`${org.password}x`, user!.password_hash)).toBe(false);
  });

  it('leaves nothing of an organisation if the surrounding transaction fails', async () => {
    const work = test.database.transaction(ctx, async (tx) => {
      await store.createOrganisation(tx, { name: 'Never' });
      throw new Error('no credits');
    });
    await expect(work).rejects.toThrow('no credits');
    expect(
      await test.database.query(ctx, "SELECT 1 FROM identity.organisations WHERE name = 'Never'"),
    ).toEqual([]);
  });

  it('has one user per address, however it is written', async () => {
    await store.createUser(ctx, { orgId: org.orgId, email: 'Ann@example.com' });
    await expect(store.createUser(ctx, { orgId: org.orgId, email: 'ann@EXAMPLE.com' })).rejects.toThrow(
      'already exists',
    );
    await expect(store.createUser(ctx, { orgId: 'org_no', email: 'b@example.com' })).rejects.toThrow(
      'no organisation org_no',
    );
  });

  it('gives a key to the first user unless one is named, and never to another organisation’s', async () => {
    const other = await store.createOrganisation(ctx, { name: 'Other' });
    const key = await store.createKey(ctx, { orgId: org.orgId, mode: 'test' });
    expect(key.userId).toBe(org.userId);
    await expect(
      store.createKey(ctx, { orgId: org.orgId, userId: other.userId, mode: 'live' }),
    ).rejects.toThrow('has no user of this id');
  });

  it('tells the mode of a key to the organisation that has it, and to no other', async () => {
    const other = await store.createOrganisation(ctx, { name: 'Another' });
    const { keyId } = await store.createKey(ctx, { orgId: org.orgId, mode: 'test' });
    expect(await store.modeOfKey(ctx, org.orgId, keyId)).toBe('test');
    await expect(store.modeOfKey(ctx, other.orgId, keyId)).rejects.toThrow('has no key');
  });

  it('revokes a key by its id or its full text, once, and never by a part of it', async () => {
    const key = await store.createKey(ctx, { orgId: org.orgId, mode: 'live' });
    const first = await store.revokeKey(ctx, key.keyId);
    const again = await store.revokeKey(ctx, key.apiKey);
    expect(again).toEqual(first);
    expect((await find(key.apiKey))?.isRevoked).toBe(true);
    const { publicId } = parseApiKey(org.apiKey)!;
    await expect(store.revokeKey(ctx, publicId)).rejects.toThrow('API key not found');
    await expect(store.revokeKey(ctx, 'key_no')).rejects.toThrow('API key not found');
  });

  it('applies a revocation within five seconds to a key in use', async () => {
    // The cache treats 0 as an unknown time.
    let nowMs = 1;
    const authenticator = new KeyAuthenticator(
      identityKeySource(store, () => undefined),
      () => nowMs,
    );
    const key = await store.createKey(ctx, { orgId: org.orgId, mode: 'live' });
    const ask = async () => (await authenticator.authenticateKey(`Bearer ${key.apiKey}`)).id;
    expect(await ask()).toBe(key.keyId);
    await store.revokeKey(ctx, key.keyId);
    nowMs += 4_999;
    await expect(ask()).rejects.toMatchObject({ code: 'not_authenticated' });
  });

  it('updates the last use at most once a minute', async () => {
    const lastUse = () =>
      test.database.queryOne<{ last_used_at: Date | null }>(
        ctx,
        'SELECT last_used_at FROM identity.api_keys WHERE public_id = $1',
        [parseApiKey(org.apiKey)!.publicId],
      );
    const use = async () => {
      const authenticator = new KeyAuthenticator(identityKeySource(store, () => undefined));
      return authenticator.authenticateKey(`Bearer ${org.apiKey}`);
    };
    const { id } = await use();
    const first = await waitFor('the use to be written', async () => (await lastUse())?.last_used_at);
    await store.noteKeyUse(ctx, id);
    expect((await lastUse())?.last_used_at).toEqual(first);
    expect((await find(org.apiKey))?.isUseDue).toBe(false);
    await test.database.query(
      ctx,
      "UPDATE identity.api_keys SET last_used_at = last_used_at - interval '61 seconds' WHERE id = $1",
      [id],
    );
    expect((await find(org.apiKey))?.isUseDue).toBe(true);
  });
});
