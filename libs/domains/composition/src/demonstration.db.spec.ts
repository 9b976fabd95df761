import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IdentityStore } from '@quarry/identity';
import { DataDir } from '@quarry/installation';
import { systemCtx } from '@quarry/app';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import { demonstrationCredentials } from './demonstration.js';

const ctx = systemCtx('spec');
/** No server listens there, so every key is unknown. */
const AT = { baseUrl: 'http://127.0.0.1:1', appUrl: 'http://127.0.0.1:1/app' };

describe('the demonstration organisation', () => {
  let test: TestDatabase;
  const folder = mkdtempSync(join(tmpdir(), 'quarry-demonstration-'));
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(async () => {
    await test.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts with a folder without credentials. */
  async function begun(name: string) {
    const dir = await DataDir.open(join(folder, name));
    try {
      return await demonstrationCredentials(dir, test.database, AT);
    } finally {
      dir.close();
    }
  }

  it('is created once: a restored data folder gets keys for the existing organisation', async () => {
    const first = await begun('first');
    const second = await begun('second');
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    const identity = new IdentityStore(test.database);
    const organisations = await identity.listOrganisations(ctx);
    expect(organisations.map(({ name }) => name)).toEqual(['Demonstration']);
    const users = await identity.listUsers(ctx, organisations[0]!.id);
    expect(users.map(({ email }) => email)).toEqual([first.credentials.email, second.credentials.email]);
    const keys = [first, second].flatMap(({ credentials: { api_key: live, test_key: key } }) => [live, key]);
    const listed = await identity.listKeys(ctx, organisations[0]!.id);
    expect(listed.map(({ mode, lastFour }) => [mode, lastFour])).toEqual(
      keys.map((key) => [key.startsWith('qk_live') ? 'live' : 'test', key.slice(-4)]),
    );
  });
});
