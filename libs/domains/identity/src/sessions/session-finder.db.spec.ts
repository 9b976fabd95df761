import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import { IdentityStore, type CreatedOrganisation } from '../identity.store.js';
import { PasswordChecks } from '../password-checks.js';
import { LoginAttempts } from './login-attempts.js';
import { createLoginLink } from './login-link.js';
import { SessionFinder } from './session-finder.js';
import { SessionStore } from './session.store.js';

const ctx = systemCtx('spec');
const VISITOR = { address: '192.0.2.1', agent: 'spec', attempts: { account: 5, address: 20 } };

describe('the database role that serves requests', () => {
  let test: TestDatabase;
  let serving: Database;
  let org: CreatedOrganisation;
  let token: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    serving = await Database.open({
      url: test.servingUrl,
      applicationName: 'spec-serving',
      connectMs: 60_000,
    });
    org = await new IdentityStore(test.database).createOrganisation(ctx, { name: 'Spec' });
    const { link } = await createLoginLink(test.database, 'https://quarry.example/app', org.email);
    const store = new SessionStore(test.database, new LoginAttempts(test.database), new PasswordChecks());
    ({ token } = await store.openByLink(ctx, VISITOR, link.split('#')[1]!));
  });
  afterAll(async () => {
    await serving.close();
    await test.drop();
  });

  it('finds a session with its user, and records its use', async () => {
    await test.database.query(
      ctx,
      `UPDATE identity.sessions SET last_seen_at = clock_timestamp() - interval '2 minutes'`,
    );
    const finder = new SessionFinder(serving);
    expect(await finder.findSession(token)).toMatchObject({
      orgId: org.orgId,
      userId: org.userId,
      role: 'owner',
      shown: { user: { email: org.email }, organisation: { name: 'Spec' } },
    });
    const [seen] = await test.database.query<{ is_now: boolean }>(
      ctx,
      `SELECT last_seen_at > clock_timestamp() - interval '1 minute' AS is_now FROM identity.sessions`,
    );
    expect(seen!.is_now).toBe(true);
    expect(await finder.findSession('x'.repeat(43))).toBeNull();
  });

  it.each([
    ['cannot read password hashes', 'SELECT password_hash FROM identity.users'],
    ['cannot create sessions', `INSERT INTO identity.sessions (id) VALUES ('session_x')`],
    ['cannot change the end of sessions', 'UPDATE identity.sessions SET ended_at = NULL'],
    ['cannot change roles', `UPDATE identity.users SET role = 'owner'`],
  ])('%s', async (_what, sql) => {
    await expect(serving.query({ ...ctx, orgId: org.orgId }, sql)).rejects.toThrow('permission denied');
  });
});
